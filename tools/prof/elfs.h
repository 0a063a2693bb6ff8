/* SPDX-License-Identifier: MIT */
/* What the files of prof that read the program share. */
#ifndef PROF_ELFS_H
#define PROF_ELFS_H

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "ehframe.h"
#include "prof.h"

static inline uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* program.c */
struct Dwfl_Module *program_open(const char *program);
void program_read(struct symbols *symbols, Elf *elf, const char *program);

/* symbol.c: adds the symbol at addr; false if it is no function. */
bool symbols_take(struct symbols *symbols, Elf *elf, const GElf_Sym *sym,
		  GElf_Word shndx, GElf_Addr addr, const char *name,
		  bool labels);
void symbols_add(struct symbols *symbols, struct symbol symbol);

/* plt.c: adds the entries of the procedure linkage tables. */
void plt_read(struct symbols *symbols, Elf *elf);

/* ehframe.c: the bounds of functions, in any order. */
struct span {
	uint64_t start, end;
};

struct spans {
	struct span *list;
	size_t nr;
};

void ehframe_read(struct spans *spans, Elf *elf,
		  const struct symbols *symbols);

/* settle.c: gives each symbol its end, and what has no name its bounds. */
void settle(struct symbols *symbols, struct spans *spans);

#endif /* PROF_ELFS_H */
