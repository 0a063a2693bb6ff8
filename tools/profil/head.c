// SPDX-License-Identifier: MIT
/* The head of a report: what ran, for how long, and what was not seen. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "hints.h"
#include "path.h"
#include "util.h"

#define COMMAND_SHOWN	200	/* bytes */

static void print_age(FILE *out, time_t then)
{
	static const struct unit {
		long seconds;
		const char *name;
	} units[] = {
		{ 86400, "day" }, { 3600, "hour" }, { 60, "minute" },
		{ 1, "second" },
	};
	long age = time(NULL) - then;
	size_t i = 0;

	if (age <= 0) {
		fputs(", now", out);
		return;
	}
	while (age < units[i].seconds)
		i++;
	age /= units[i].seconds;
	fprintf(out, ", %ld %s%s ago", age, units[i].name, age > 1 ? "s" : "");
}

static void print_missed(FILE *out, const struct books *books)
{
	const struct missed {
		uint64_t nr;
		const char *what;	/* of one, with "s" of more */
		const char *why;
	} list[] = {
		{ books->unplaced, "unplaced sample", "the table was full" },
		{ books->refused, "refused sample", "private processes" },
		{ books->lost, "lost sample",
		  "the machine stood still, or -r is too high" },
		{ books->left, "program", "set-user-ID" },
		{ books->not_followed, "process", "no memory at its fork" },
	};
	const char *before = "not seen: ";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++) {
		if (!list[i].nr)
			continue;
		fprintf(out, "%s%" PRIu64 " %s%s (%s)", before, list[i].nr,
			list[i].what, list[i].nr == 1 ? "" :
			list[i].what[strlen(list[i].what) - 1] == 's' ? "es" :
			"s", list[i].why);
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', out);
}

/* All of it is in the file: a head is for the eye. */
static void print_command(FILE *out, const char *command)
{
	char *begin;

	if (!*command)
		command = "(not in the file)";
	begin = text_begin(command, COMMAND_SHOWN);
	text_print(out, begin);
	free(begin);
	if (strlen(command) > COMMAND_SHOWN)
		fprintf(out, " ... (%zu bytes)", strlen(command));
}

static void print_time(FILE *out, const struct model *m)
{
	const struct books *books = &m->books;
	uint64_t samples = model_samples(m);
	double due = books->cpu_ns / 1e9 * m->rate;
	/* Two clocks of one busy CPU differ by less. */
	uint64_t one_cpu_ns = books->wall_ns + books->wall_ns / 1000;

	fprintf(out, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
	if (m->rate)
		fprintf(out, ", %" PRIu64 " a second of CPU time", m->rate);
	if (books->wall_ns)
		fprintf(out, books->cpu_ns > one_cpu_ns ?
			"; %.1f s on several CPUs in %.1f s" :
			"; %.1f of %.1f s on a CPU", books->cpu_ns / 1e9,
			books->wall_ns / 1e9);
	if (due > 0)
		fprintf(out, "; coverage %.1f %%", 100 * samples / due);
	fputc('\n', out);
	if (books->cpu_ns < books->wall_ns / 2 && (books->counted || !books->off_wall_ns))
		fputs("most of the time it waited, which has no samples: strace -f -w -c says in which system calls\n",
		      out);
}

/* A share that is not 0 is not printed as one, nor one below all as all. */
static void print_share(FILE *out, uint64_t part, uint64_t all)
{
	double percent = all ? 100.0 * part / all : 0;
	bool fine = (percent > 0 && percent < 0.05) ||
		    (percent < 100 && percent >= 99.95);

	fprintf(out, "%.*f %%", fine ? 3 : 1, percent);
}

struct ended {
	enum path_end end;
	uint64_t samples;
};

static int by_samples(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return (int)x->end - (int)y->end;
}

/* How many paths are whole, and why others are not. */
static void print_paths(FILE *out, const struct model *m)
{
	struct ended ends[NR_PATH_ENDS];
	uint64_t all = 0;
	size_t nr;
	int i;

	for (i = 0; i < NR_PATH_ENDS; i++)
		ends[i] = (struct ended){ .end = i };
	for (nr = 0; nr < m->nr_samples; nr++) {
		ends[sample_path_end(&m->samples[nr])].samples +=
			m->samples[nr].count;
		all += m->samples[nr].count;
	}
	/* Other tools do not say it. */
	if (ends[PATH_NONE].samples == all)
		return;
	fputs("call paths: ", out);
	print_share(out, ends[PATH_WHOLE].samples, all);
	fputs(" whole", out);
	ends[PATH_WHOLE].samples = 0;
	qsort(ends, NR_PATH_ENDS, sizeof(*ends), by_samples);
	for (i = 0; i < NR_PATH_ENDS && ends[i].samples; i++) {
		fputs(i ? ", " : "; ", out);
		print_share(out, ends[i].samples, all);
		fprintf(out, " %s", ends[i].end ? path_end_names[ends[i].end] :
						  "without one");
	}
	fputc('\n', out);
}

char *head_text(const struct model *m, time_t written, bool age)
{
	time_t then = (m->time_ns + m->duration_ns) / 1000000000;
	char *text = NULL, when[64] = "";
	struct tm tm;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	if (!out)
		die(STATUS_USAGE, "out of memory");
	if (m->time_ns <= 0)
		then = written;
	fputs("command: ", out);
	print_command(out, m->command);
	if (localtime_r(&then, &tm))
		strftime(when, sizeof(when), "%F %T", &tm);
	fprintf(out, "\nrecorded: %s", when);
	if (age)
		print_age(out, then);
	fputc('\n', out);
	print_time(out, m);
	print_paths(out, m);
	print_missed(out, &m->books);
	if (m->books.off_wall_ns)
		fprintf(out, "off: for %.1f s, %.1f s of them on a CPU (%" PRIu64
			" samples)\n", m->books.off_wall_ns / 1e9,
			m->books.off_cpu_ns / 1e9, m->books.off);
	if (hint_never_on(&m->books))
		fprintf(out, "%s\n", hint_never_on(&m->books));
	hints_print(out, m);
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return text;
}
