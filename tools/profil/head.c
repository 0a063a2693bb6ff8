// SPDX-License-Identifier: MIT
/* The head of a report: what ran, for how long, and what was not seen. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"
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
		fputs("now", out);
		return;
	}
	while (age < units[i].seconds)
		i++;
	age /= units[i].seconds;
	fprintf(out, "%ld %s%s ago", age, units[i].name, age > 1 ? "s" : "");
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
		{ books->lost, "lost sample", "the machine stood still" },
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
	char begin[COMMAND_SHOWN + 1];

	if (!*command)
		command = "(not in the file)";
	snprintf(begin, sizeof(begin), "%s", command);
	text_print(out, begin);
	if (strlen(command) > COMMAND_SHOWN)
		fprintf(out, " ... (%zu bytes)", strlen(command));
}

static uint64_t sum(const struct model *m)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < m->nr_samples; i++)
		samples += m->samples[i].count;
	return samples;
}

static void print_time(FILE *out, const struct model *m)
{
	const struct books *books = &m->books;
	uint64_t samples = sum(m);
	double due = books->cpu_ns / 1e9 * m->rate;

	fprintf(out, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
	if (m->rate)
		fprintf(out, ", %" PRIu64 " a second of CPU time", m->rate);
	if (books->wall_ns)
		fprintf(out, "; %.1f of %.1f s on a CPU", books->cpu_ns / 1e9,
			books->wall_ns / 1e9);
	if (due > 0)
		fprintf(out, "; coverage %.1f %%", 100 * samples / due);
	fputc('\n', out);
}

char *head_text(const struct model *m, time_t written)
{
	time_t then = (m->time_ns + m->duration_ns) / 1000000000;
	char *text = NULL, when[64] = "";
	struct tm tm;
	size_t size, i;
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
	fprintf(out, "\nrecorded: %s, ", when);
	print_age(out, then);
	fputc('\n', out);
	print_time(out, m);
	print_missed(out, &m->books);
	for (i = 0; i < m->nr_comments; i++) {
		if (strncmp(m->comments[i], "note: ", 6) != 0)
			continue;
		text_print(out, m->comments[i]);
		fputc('\n', out);
	}
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return text;
}
