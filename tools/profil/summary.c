// SPDX-License-Identifier: MIT
/* What run and attach say at the end: where the time went, and the file. */
#include <stdio.h>
#include <string.h>

#include "hints.h"
#include "pprof.h"
#include "record.h"
#include "rows.h"
#include "util.h"

#define LINES	8

static void print_row(const struct row *row, uint64_t samples)
{
	fprintf(stderr, "  %5.1f %%  ",
		100.0 * (double)row->self / (double)samples);
	text_print(stderr, row->name);
	fputs("  ", stderr);
	text_print(stderr, base_name(row->object));
	fputc('\n', stderr);
}

/* Those of profil report, so that a share is the same in both. */
static void print_rows(struct model *m)
{
	struct rows rows = rows_make(m, BY_FUNCTION);
	size_t i;

	for (i = 0; i < rows.nr && i < LINES && rows.list[i].self; i++)
		print_row(&rows.list[i], rows.samples);
	rows_free(&rows);
}

static void print_unseen(const struct books *books)
{
	if (books->off_wall_ns)
		fprintf(stderr, "profil: off for %.2f s, %.2f s of them on a CPU (%llu samples)\n",
			(double)books->off_wall_ns / 1e9,
			(double)books->off_cpu_ns / 1e9,
			(unsigned long long)books->off);
	if (hint_never_on(books))
		warn("%s", hint_never_on(books));
	if (books->unplaced)
		fprintf(stderr, "profil: %llu samples found no room: lower -r\n",
			(unsigned long long)books->unplaced);
	if (books->refused)
		fprintf(stderr, "profil: %llu samples of private processes were refused\n",
			(unsigned long long)books->refused);
	if (books->lost)
		fprintf(stderr, "profil: %llu samples were lost, because the machine stood still or -r is too high\n",
			(unsigned long long)books->lost);
	if (books->left)
		fprintf(stderr, "profil: %llu set-user-ID programs were not followed\n",
			(unsigned long long)books->left);
}

static void print_command(const char *command, const char *path)
{
	fputs(command, stderr);
	if (strcmp(path, PPROF_DEFAULT) != 0) {
		fputs(" -i ", stderr);
		text_print(stderr, path);
	}
}

void summary_print(const struct recording *r, const char *path)
{
	const struct model *m = r->model;
	const struct books *books = &m->books;

	fprintf(stderr, "profil: %llu samples, %u a second of CPU time: %.2f s on a CPU in %.2f s, %u process%s\n",
		(unsigned long long)books->counted, (unsigned int)m->rate,
		(double)books->cpu_ns / 1e9, (double)books->wall_ns / 1e9,
		r->nr_processes, r->nr_processes == 1 ? "" : "es");
	print_rows(r->model);
	print_unseen(books);
	hints_print(stderr, m);
	if (!path)
		return;
	print_command("profil: for all of it: profil report", path);
	print_command("; as a picture: profil html", path);
	fputc('\n', stderr);
	text_print(stderr, path);
	fputc('\n', stderr);
}
