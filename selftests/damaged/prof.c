// SPDX-License-Identifier: GPL-2.0-only
/*
 * One input of prof's, a profile or a program, for libFuzzer and for sweep.c:
 * prof dies with a message that names the file, or what it has made of it
 * holds together.
 *
 * As a process prof leaves its memory to the end.  Here that is after each
 * input: what it allocates is noted, and where it dies it comes back.
 */
#include <elfutils/libdwfl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/prof.h"

#define FILE_NAME	"fuzzed"
#define SUM_NAME	"fuzzed.sum"
#define KEPT_MAX	32

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static jmp_buf end;
static bool running, may_die;
static void *kept[KEPT_MAX];
static Dwfl *session;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void *keep(void *old, void *new)
{
	size_t i = 0;

	while (kept[i] != old)
		must(++i < KEPT_MAX);
	kept[i] = new;
	return new;
}

/* In place of what prof calls: see the linker's --wrap. */
void __wrap_die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void __wrap_complain(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void *__wrap_malloc(size_t size);
void *__wrap_reallocarray(void *old, size_t nr, size_t size);
void __wrap_free(void *old);
Dwfl *__wrap_dwfl_begin(const Dwfl_Callbacks *callbacks);
void *__real_malloc(size_t size);
void *__real_reallocarray(void *old, size_t nr, size_t size);
void __real_free(void *old);
Dwfl *__real_dwfl_begin(const Dwfl_Callbacks *callbacks);

static void check_message(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

static void check_message(const char *format, va_list args)
{
	char message[512];

	vsnprintf(message, sizeof(message), format, args);
	must(!strchr(message, '\n') && !strstr(message, "(null)") &&
	     !strstr(message, "no error") && !strstr(message, "open files"));
	/* Among several profiles, a file that fails may be any of them. */
	must(strstr(message, FILE_NAME) ||
	     !strcmp(message, "no time accumulated"));
}

void __wrap_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	check_message(format, args);
	va_end(args);
	must(may_die);
	longjmp(end, 1);
}

void __wrap_complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	check_message(format, args);
	va_end(args);
}

void *__wrap_malloc(size_t size)
{
	void *new = __real_malloc(size);

	return running ? keep(NULL, new) : new;
}

void *__wrap_reallocarray(void *old, size_t nr, size_t size)
{
	void *new = __real_reallocarray(old, nr, size);

	must(new);
	return running ? keep(old, new) : new;
}

void __wrap_free(void *old)
{
	if (running && old)
		keep(old, NULL);
	__real_free(old);
}

Dwfl *__wrap_dwfl_begin(const Dwfl_Callbacks *callbacks)
{
	session = __real_dwfl_begin(callbacks);
	return session;
}

static void clean_up(void)
{
	size_t i;

	running = false;
	for (i = 0; i < KEPT_MAX; i++) {
		free(kept[i]);
		kept[i] = NULL;
	}
	if (session)
		dwfl_end(session);
	session = NULL;
}

/* Every symbol has text, and no text has two. */
static void check_symbols(const struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		must(symbols->list[i].start < symbols->list[i].end);
		must(!i || symbols->list[i - 1].end <= symbols->list[i].start);
	}
}

/* Every sample is somebody's. */
static void check_samples(const struct symbols *symbols,
			  const struct profile *profile)
{
	double counted = 0, given = symbols->none.samples;
	uint64_t j;
	size_t i;

	for (i = 0; i < profile->nr_hists; i++)
		for (j = 0; j < profile->hists[i].nr; j++)
			counted += (double)hist_count(&profile->hists[i], j);
	for (i = 0; i < symbols->nr; i++) {
		must(symbols->list[i].samples >= 0);
		given += symbols->list[i].samples;
	}
	must(fabs(counted - given) <= counted / 1000000);
}

/* The counter of a sum that has the text of another's first. */
static uint64_t counter_of(const struct hist *sum, uint64_t address)
{
	uint64_t low = 0, high = sum->nr;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (hist_start(sum, middle) <= address)
			low = middle;
		else
			high = middle;
	}
	must(hist_start(sum, low) == address);
	return low;
}

/* Counters have what each file has, and nothing else is there. */
static void check_sum(const struct profile *profile, const struct profile *sum)
{
	const struct hist *to = sum->hists;
	double counted = profile_samples(profile);
	size_t i;

	must(sum->nr_hists == 1 && sum->hz == profile->hz &&
	     sum->nr_calls == profile->nr_calls);
	for (i = 0; i < profile->nr_hists; i++) {
		const struct hist *from = &profile->hists[i];
		uint64_t at = counter_of(to, from->low), j;

		for (j = 0; j < from->nr; j++)
			must(hist_count(to, at + j) >= hist_count(from, j) &&
			     hist_start(to, at + j) == hist_start(from, j));
	}
	if (counted < 1e18)
		must(fabs(counted - profile_samples(sum)) <=
		     counted / 1000000);
	for (i = 0; i < sum->nr_calls; i++)
		must(sum->calls[i].pc == profile->calls[i].pc &&
		     sum->calls[i].nr == profile->calls[i].nr);
}

static void report(struct symbols *symbols, const struct profile *profile)
{
	check_symbols(symbols);
	assign(symbols, profile, FILE_NAME);
	check_samples(symbols, profile);
	table_print(symbols, profile->hz ? profile->hz : 1, BY_CALLS, true,
		    false);
}

/* The profile is that of a program as mkprof.pl has it in mind. */
static void try_profile(unsigned int word)
{
	struct symbols symbols = {
		.none = { .start = UINT64_MAX, .name = "(no symbol)" },
		.low = 0x401000, .high = 0x401300, .word = word,
	};
	struct profile profile = { .word = word }, sum = { .word = word };

	for (; symbols.nr < 3; symbols.nr++) {
		uint64_t start = 0x401000 + 0x100 * symbols.nr;

		symbols.list = more(symbols.list, symbols.nr,
				    sizeof(*symbols.list));
		symbols.list[symbols.nr] = (struct symbol){
			.start = start, .end = start + 0xf0, .name = "made-up"
		};
	}
	profile_read(&profile, FILE_NAME);
	profile_read(&profile, FILE_NAME);
	report(&symbols, &profile);
	if (!profile.nr_hists)
		return;
	if (!sum_write(&profile, &symbols, SUM_NAME))
		return;
	may_die = false;
	profile_read(&sum, SUM_NAME);
	check_sum(&profile, &sum);
}

static void try_program(void)
{
	static const unsigned char counters[64] = { 1, [40] = 3, [63] = 1 };
	struct symbols symbols = symbols_read(FILE_NAME, true);
	struct calls calls = { .pc = symbols.low, .nr = 1 };
	struct source source = { .name = FILE_NAME };
	struct hist hist = {
		.source = &source,
		.low = symbols.low,
		.high = symbols.high,
		.num = symbols.high - symbols.low,
		.den = 32,
		.counters = counters,
		.nr = 32,
		.width = 2,
	};
	struct profile profile = {
		.hists = &hist, .nr_hists = hist_check(&hist),
		.calls = &calls, .nr_calls = 1,
		.hz = 100, .word = symbols.word,
	};

	report(&symbols, &profile);
}

static void write_file(const unsigned char *data, size_t size)
{
	FILE *file = fopen(FILE_NAME, "w");

	must(file && fwrite(data, 1, size, file) == size && !fclose(file));
}

static bool begins(const unsigned char *data, size_t size, const char *magic)
{
	return size >= 4 && !memcmp(data, magic, 4);
}

/* As a profile of a program with such words, or with 0 as a program. */
static void try(unsigned int word)
{
	may_die = true;
	running = true;
	if (setjmp(end) == 0) {
		if (word)
			try_profile(word);
		else
			try_program();
	}
	clean_up();
}

/* What is neither, is to be refused as both. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	write_file(data, size);
	if (!begins(data, size, "mon.") && !begins(data, size, "gmon"))
		try(0);
	if (!begins(data, size, "\177ELF")) {
		try(4);
		try(8);
	}
	return 0;
}
