/* SPDX-License-Identifier: MIT */
/* What the files of prof share: a profile as it was read, and the symbols. */
#ifndef PROF_H
#define PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* die.c: one line on standard error; die ends with status 1. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
/* Room for nr more, of size bytes each; never NULL. */
void *more(void *array, size_t nr, size_t size);

/* input.c: a regular file, open; one whole; what isn't there is an error. */
int input_open(const char *name, size_t *size);

/* A file that was read: left_out says that mon.sum does not have it. */
struct source {
	const char *name;
	bool left_out;
};

struct input {
	const char *name;
	struct source *source;
	const unsigned char *data;
	size_t size;
	size_t at;		/* bytes taken */
};

/* The mon.out or gmon.out that the program left last. */
const char *input_find(const char *program);
struct input input_read(const char *name);
const void *input_take(struct input *in, uint64_t nr, size_t size);
uint32_t input_u32(struct input *in);
uint64_t input_word(struct input *in, unsigned int word);

/* Counters, and the text they are of: counter i has num / den bytes of it. */
struct hist {
	uint64_t low, high;
	uint64_t num, den;
	const unsigned char *counters;
	uint64_t nr;
	unsigned int width;	/* bytes a counter */
	struct source *source;
	bool spread;		/* what is above a full counter follows */
};

struct calls {
	uint64_t pc;		/* in the function that was called */
	uint64_t nr;
	struct source *source;
};

struct profile {
	struct hist *hists;
	size_t nr_hists;
	struct calls *calls;
	size_t nr_calls;
	uint32_t hz;		/* samples a second, of all alike */
	unsigned int word;	/* bytes of an address in the program */
};

/* profile.c */
void profile_read(struct profile *profile, const char *name);
struct hist *profile_add_hist(struct profile *profile, const char *name,
			      uint32_t hz);
void profile_add_calls(struct profile *profile, struct source *source,
		       uint64_t pc, uint64_t nr);
uint64_t hist_count(const struct hist *hist, uint64_t counter);
uint64_t hist_start(const struct hist *hist, uint64_t counter);
bool hist_check(const struct hist *hist);
double profile_samples(const struct profile *profile);

/* monfile.c, gmonfile.c: one file more, its first bytes not yet taken. */
void monfile_read(struct profile *profile, struct input *in);
void gmonfile_read(struct profile *profile, struct input *in);

/* bsdfile.c: the same for 4.4BSD's, which only its header shows to be one. */
bool bsdfile_is(const struct profile *profile, const struct input *in);
void bsdfile_read(struct profile *profile, struct input *in);

struct symbol {
	uint64_t start, end;
	const char *name;
	uint64_t plus;		/* behind the name, if has_plus */
	uint32_t size;		/* 0: not known; UINT32_MAX: that or more */
	uint8_t rank;		/* of two at one address the higher */
	bool has_plus;
	bool is_plt;		/* "@plt" is behind the name */
	double samples;
	uint64_t calls;
};

struct symbols {
	struct symbol *list;	/* by address, without overlaps */
	size_t nr;
	struct symbol none;	/* what belongs to no symbol */
	uint64_t low, high;	/* the program's text */
	const char *object;	/* its name, for what has none */
	bool stripped;		/* has the names of what it exports alone */
	unsigned int word;	/* bytes of an address */
};

/* symbols.c */
struct symbols symbols_read(const char *program, bool labels);

/*
 * sum.c: the sum of the files that fit the first; false if one does not, which
 * it says.
 */
bool sum_write(const struct profile *profile, const struct symbols *symbols,
	       const char *name);

/* demangle.c: what the name was made from, until the next call, or the name. */
const char *demangle(const char *name);

/* name.c */
void text_print(FILE *out, const char *text);
void name_print(FILE *out, const struct symbol *symbol, bool raw);

/* assign.c: gives each symbol its samples and calls. */
void assign(struct symbols *symbols, const struct profile *profile,
	    const char *program);

/* table.c */
enum order { BY_TIME, BY_ADDRESS, BY_CALLS };

void table_print(struct symbols *symbols, uint32_t hz, enum order order,
		 bool zeros, bool raw);

#endif /* PROF_H */
