/* SPDX-License-Identifier: MIT */
/* The functions of one object, by address. */
#ifndef PROFIL_SYMBOLS_H
#define PROFIL_SYMBOLS_H

#include "object.h"

struct Elf;
struct names;

/* libelf's view of an object, whose sections are of sane sizes; or NULL. */
struct Elf *symbols_open(const struct object *object);

/* What a function is called; both are valid until names_free(). */
struct name {
	const char *raw;	/* as the linker has it */
	const char *suffix;	/* "@plt", or "" */
	uint64_t plus;		/* behind the name, if has_plus */
	bool has_plus;
	uint64_t start, end;	/* addresses that have it */
};

/* NULL: the object has no file that can be read. */
struct names *names_read(const struct object *object);
/* Reads only what names these addresses of the linker's, which ascend. */
struct names *names_read_near(const struct object *object,
			      const uint64_t *asked, size_t nr);
/* False: no function has this address of the linker's. */
bool names_find(const struct names *names, uint64_t vaddr, struct name *name);
/* About as many bytes of memory as it has. */
size_t names_size(const struct names *names);
/* The file has the names of what it exports alone. */
bool names_are_stripped(const struct names *names);
/* A name as people read it, without a version, until the next call. */
const char *names_readable(const char *raw);
void names_free(struct names *names);

#endif /* PROFIL_SYMBOLS_H */
