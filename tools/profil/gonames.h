/* SPDX-License-Identifier: MIT */
/* Go's table of functions in an ELF file. */
#ifndef PROFIL_GONAMES_H
#define PROFIL_GONAMES_H

struct Elf;
struct symbols;

/* Adds the functions, if it is a Go program. */
void gonames_take(struct symbols *symbols, struct Elf *elf);

#endif /* PROFIL_GONAMES_H */
