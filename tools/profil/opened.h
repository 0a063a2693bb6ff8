/* SPDX-License-Identifier: MIT */
/* An object of the profile, opened with its DWARF. */
#ifndef PROFIL_OPENED_H
#define PROFIL_OPENED_H

#include <elfutils/libdwfl.h>

#include "model.h"

struct opened {
	int fd;
	bool is_debug;		/* it is the debug file, without code */
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
};

/*
 * The object of a mapping: the file that ran, else its debug file.  False with
 * *why, allocated: neither is here; or with NULL: it can't be read.
 */
bool opened_begin(struct opened *opened, const struct model *m,
		  const struct mapping *mapping, char **why);
void opened_end(struct opened *opened);

#endif /* PROFIL_OPENED_H */
