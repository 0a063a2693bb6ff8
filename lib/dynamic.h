/* SPDX-License-Identifier: MIT */
/* An object's references to symbols, as its dynamic section has them. */
#ifndef LIBPROFIL_DYNAMIC_H
#define LIBPROFIL_DYNAMIC_H

#include <link.h>

#include "internal.h"

#define ELF_SYM		ElfW(Sym)
#define ELF_REL		ElfW(Rel)

/* Elements are ElfW(Rel), or ElfW(Rela), which begins as one. */
struct profil_relocs {
	const char *table;
	size_t bytes;
	size_t entry;
};

struct profil_dynamic {
	const ELF_SYM *symbols;
	const char *names;
	struct profil_relocs relocs[2];	/* of data, of calls */
};

/* Whether the address is in what the object has mapped. */
HIDDEN bool profil_object_has(const struct dl_phdr_info *info,
			      uintptr_t address);
/* Returns whether the object has symbols. */
HIDDEN bool profil_dynamic_read(const struct dl_phdr_info *info,
				struct profil_dynamic *dynamic);

/* What counts calls, by its names. */
#define PROFIL_COUNTERS	3
HIDDEN extern const char *const profil_counters[PROFIL_COUNTERS];

typedef void profil_found_counter(void *arg, const ELF_REL *reloc,
				  const char *name);
/*
 * Whether the object refers to what counts calls, by any name.  Each such
 * reference is told to found, if there is one.  Hash tables do not say it: one of
 * an object that exports nothing knows of no symbol.
 */
HIDDEN bool profil_dynamic_counts(const struct profil_dynamic *dynamic,
				  profil_found_counter *found, void *arg);

#endif /* LIBPROFIL_DYNAMIC_H */
