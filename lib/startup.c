// SPDX-License-Identifier: MIT
/*
 * What gcrt1.o does at the start of a -pg program, where the C library has no
 * such file (musl).  In libprofil.a this comes along with mcount; in the
 * shared library it looks whether the program has a use for that.
 */
#include <link.h>
#include <profil.h>
#include <stdlib.h>
#include <string.h>

#include "dso.h"

/* For mcount.S to refer to. */
HIDDEN const char profil_startup;
const char profil_startup = 1;

#if !defined(__GLIBC__)

#if defined(__PIE__)
static bool has_pg(void)
{
	return true;
}
#else
#define ELF_DYN		ElfW(Dyn)
#define ELF_SYM		ElfW(Sym)

struct symbols {
	const ELF_SYM *table;
	const char *names;
	const uint32_t *hash;		/* DT_HASH: [1] is how many */
	const uint32_t *gnu_hash;	/* [1] is the first that is defined */
};

/* Loaders differ in whether these are addresses already. */
static const void *pointer(const struct dl_phdr_info *info, uintptr_t value)
{
	if (value < info->dlpi_addr)
		value += info->dlpi_addr;
	return (const void *)value;
}

static void find_symbols(const struct dl_phdr_info *info,
			 const ELF_DYN *dyn, struct symbols *symbols)
{
	for (; dyn->d_tag != DT_NULL; dyn++) {
		const void *where = pointer(info, dyn->d_un.d_ptr);

		if (dyn->d_tag == DT_SYMTAB)
			symbols->table = where;
		else if (dyn->d_tag == DT_STRTAB)
			symbols->names = where;
		else if (dyn->d_tag == DT_HASH)
			symbols->hash = where;
		else if (dyn->d_tag == DT_GNU_HASH)
			symbols->gnu_hash = where;
	}
}

static bool refers(const struct symbols *symbols)
{
	static const char *const counters[] = { "mcount", "_mcount",
						"__fentry__" };
	uint32_t nr = 0;
	unsigned int i;

	if (symbols->gnu_hash)
		nr = symbols->gnu_hash[1];
	else if (symbols->hash)
		nr = symbols->hash[1];
	while (symbols->table && symbols->names && nr--)
		for (i = 0; i < 3; i++)
			if (!strcmp(symbols->names + symbols->table[nr].st_name,
				    counters[i]))
				return true;
	return false;
}

/* Of the first, the program. */
static int program_refers(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct symbols symbols = { NULL, NULL, NULL, NULL };
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			find_symbols(info, (const ELF_DYN *)(info->dlpi_addr +
					   info->dlpi_phdr[i].p_vaddr),
				     &symbols);
	*(bool *)arg = refers(&symbols);
	return 1;
}

static bool has_pg(void)
{
	bool found = false;

	dl_iterate_phdr(program_refers, &found);
	return found;
}
#endif

/* Before the program's own constructors. */
static __attribute__((constructor(101))) void start(void)
{
	struct profil_seen program;

	if (!has_pg() || !profil_linkmap_program(&program))
		return;
	monstartup(program.bias + program.low, program.bias + program.high);
	atexit(_mcleanup);
}

#endif
