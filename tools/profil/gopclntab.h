/* SPDX-License-Identifier: MIT */
/* The functions of a Go program, which keeps them when it is stripped. */
#ifndef PROFIL_GOPCLNTAB_H
#define PROFIL_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table of Go 1.16 or later, in the byte order of this machine. */
struct gopclntab {
	const unsigned char *bytes;
	size_t size;
};

/* Calls found() for each function; false: it is no such table. */
bool gopclntab_read(const struct gopclntab *table,
		    void (*found)(void *arg, uint64_t start, uint64_t end,
				  const char *name),
		    void *arg);

#endif /* PROFIL_GOPCLNTAB_H */
