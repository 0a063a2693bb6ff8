/* SPDX-License-Identifier: MIT */
/* What the files of prof share: a profile as it was read, and the symbols. */
#ifndef PROF_H
#define PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* die.c: one line on standard error; die ends with status 1. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
/* Room for nr more, of size bytes each; never NULL. */
void *more(void *array, size_t nr, size_t size);

/* input.c: a regular file, open; one whole; what isn't there is an error. */
int input_open(const char *name, size_t *size);

struct input {
	const char *name;
	const unsigned char *data;
	size_t size;
	size_t at;		/* bytes taken */
};

struct input input_read(const char *name);
const void *input_take(struct input *in, uint64_t nr, size_t size);
uint32_t input_u32(struct input *in);

/* Counters, and the text they are of: counter i has num / den bytes of it. */
struct hist {
	uint64_t low, high;
	uint64_t num, den;
	const unsigned char *counters;
	uint64_t nr;
	unsigned int width;	/* bytes a counter */
};

struct calls {
	uint64_t pc;		/* in the function that was called */
	uint64_t nr;
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
void profile_add_calls(struct profile *profile, uint64_t pc, uint64_t nr);
uint64_t hist_count(const struct hist *hist, uint64_t counter);
uint64_t hist_start(const struct hist *hist, uint64_t counter);
bool hist_check(const struct hist *hist);

/* monfile.c, gmonfile.c: one file more, its first bytes not yet taken. */
void monfile_read(struct profile *profile, struct input *in);
void gmonfile_read(struct profile *profile, struct input *in);

/* sum.c: the sum of all that was read from files mon.out. */
void sum_write(const struct profile *profile, const char *name);

struct symbol {
	uint64_t start, end;	/* end is that of what it is charged with */
	const char *name;
	unsigned int rank;	/* of two at one address the higher */
	double samples;
	uint64_t calls;
};

struct symbols {
	struct symbol *list;	/* by address, without overlaps */
	size_t nr;
	struct symbol none;	/* what belongs to no symbol */
	uint64_t low, high;	/* the program's text */
	unsigned int word;	/* bytes of an address */
};

/* symbols.c */
struct symbols symbols_read(const char *program, bool labels);

/* assign.c: gives each symbol its samples and calls. */
void assign(struct symbols *symbols, const struct profile *profile,
	    const char *program);

/* table.c */
enum order { BY_TIME, BY_ADDRESS, BY_CALLS };

void table_print(struct symbols *symbols, uint32_t hz, enum order order,
		 bool zeros);

#endif /* PROF_H */
