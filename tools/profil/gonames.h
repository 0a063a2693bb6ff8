/* SPDX-License-Identifier: MIT */
/* Go's table of functions in an ELF file. */
#ifndef PROFIL_GONAMES_H
#define PROFIL_GONAMES_H

#include <stddef.h>

struct Elf;
struct symbols;

/* Adds the functions, if it is a Go program: of so many bytes of names. */
size_t gonames_take(struct symbols *symbols, struct Elf *elf);

#endif /* PROFIL_GONAMES_H */
