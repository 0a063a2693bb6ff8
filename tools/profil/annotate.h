/* SPDX-License-Identifier: MIT */
/* What the parts of profil annotate share: heat, code and source. */
#ifndef PROFIL_ANNOTATE_H
#define PROFIL_ANNOTATE_H

#include <elfutils/libdwfl.h>

#include "head.h"
#include "model.h"

/* Samples at an address of the object, as the linker has it. */
struct heat {
	uint64_t address;
	uint64_t samples;
	uint64_t sum;		/* with those of all lower addresses */
};

/* A function in its object. */
struct body {
	const char *name;	/* of the symbol, or of the profile */
	uint64_t start, end;
	uint64_t samples;
};

struct instruction {
	uint64_t address;
	char *text;
	uint64_t samples;
	const char *file;	/* libdw's, or NULL */
	int line;
};

struct code {
	struct instruction *list;
	size_t nr;
};

/* code.c: sorts heat and adds up that of one address; returns what is left. */
size_t heat_sort(struct heat *heat, size_t nr);
/*
 * The bodies that have the heat, both sorted; where no symbol has an address, a
 * body of what lies between the first and the last.
 */
struct body *bodies_of(Dwfl_Module *module, const struct heat *heat, size_t nr,
		       const char *name, size_t *nr_bodies);
/* By objdump, of an open object; *why, allocated, says what failed. */
struct code code_of(int fd, Dwfl_Module *module, const struct body *body,
		    const struct heat *heat, size_t nr, char **why);
void code_free(struct code *code);

/* source.c */
void source_print(const struct code *code, const struct body *body,
		  const struct terminal *terminal, time_t written);
/* The text of a line, or NULL; it stays until sources_free(). */
const char *source_line(const char *file, int64_t line);
/* How many there are. */
int64_t source_nr(const char *file);
/* When the file was written; 0: it can't be read. */
time_t source_written(const char *file);
/* The path of what was read, without symbolic links; NULL: nothing was. */
const char *source_real(const char *file);
/* A line with its tabs as spaces, at most 400 bytes, allocated. */
char *source_wide(const char *text);
void sources_free(void);

#endif /* PROFIL_ANNOTATE_H */
