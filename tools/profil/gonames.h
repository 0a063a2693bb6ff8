/* SPDX-License-Identifier: MIT */
/* Go's table of functions in an ELF file. */
#ifndef PROFIL_GONAMES_H
#define PROFIL_GONAMES_H

#include <stddef.h>
#include <stdint.h>

struct Elf;
struct symbols;

typedef void gonames_found(void *arg, uint64_t start, uint64_t end,
			   const char *name);

/* Calls found() for each function.  Returns 0 if the file is no Go program. */
size_t gonames_each(struct Elf *elf, gonames_found *found, void *arg);
/* Adds the functions, if it is a Go program: of so many bytes of names. */
size_t gonames_take(struct symbols *symbols, struct Elf *elf);

#endif /* PROFIL_GONAMES_H */
