/* SPDX-License-Identifier: MIT */
/* An object's references to symbols, as its dynamic section has them. */
#ifndef LIBPROFIL_DYNAMIC_H
#define LIBPROFIL_DYNAMIC_H

#include <link.h>

#include "internal.h"

#define ELF_SYM		ElfW(Sym)

/* Elements are ElfW(Rel), or ElfW(Rela), which begins as one. */
struct profil_relocs {
	const char *table;
	size_t bytes;
	size_t entry;
};

struct profil_dynamic {
	const ELF_SYM *symbols;
	const char *names;
	const uint32_t *hash;		/* DT_HASH: [1] is how many */
	const uint32_t *gnu_hash;
	struct profil_relocs relocs[2];	/* of data, of calls */
};

/* Whether the address is in what the object has mapped. */
HIDDEN bool profil_object_has(const struct dl_phdr_info *info,
			      uintptr_t address);
/* Returns whether the object has symbols. */
HIDDEN bool profil_dynamic_read(const struct dl_phdr_info *info,
				struct profil_dynamic *dynamic);
/* Whether the object refers to what counts calls: mcount by any name. */
HIDDEN bool profil_dynamic_counts(const struct profil_dynamic *dynamic);
HIDDEN bool profil_symbol_counts(const struct profil_dynamic *dynamic,
				 uint32_t symbol);

#endif /* LIBPROFIL_DYNAMIC_H */
