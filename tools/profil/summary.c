// SPDX-License-Identifier: MIT
/* What run and attach say at the end: where the time went, and the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hints.h"
#include "record.h"
#include "util.h"

#define LINES	8

/* Samples of a function in one object. */
struct sum {
	uint32_t mapping, function;
	uint64_t count;
};

static int by_function(const void *one, const void *two)
{
	const struct sum *a = one, *b = two;

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static int by_count(const void *one, const void *two)
{
	const struct sum *a = one, *b = two;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return by_function(one, two);
}

static struct sum *sums_of(const struct model *m, size_t *nr)
{
	struct sum *sums = xcalloc(m->nr_samples + 1, sizeof(*sums));
	const struct location *at;
	size_t used = 0, i;

	for (i = 0; i < m->nr_samples; i++) {
		at = &m->locations[m->samples[i].locations[0]];
		sums[i] = (struct sum){
			.mapping = at->mapping,
			.function = at->nr_lines ?
				    at->lines[at->nr_lines - 1].function : 0,
			.count = m->samples[i].count,
		};
	}
	qsort(sums, m->nr_samples, sizeof(*sums), by_function);
	for (i = 0; i < m->nr_samples; i++) {
		if (used && !by_function(&sums[used - 1], &sums[i]))
			sums[used - 1].count += sums[i].count;
		else
			sums[used++] = sums[i];
	}
	qsort(sums, used, sizeof(*sums), by_count);
	*nr = used;
	return sums;
}

static void print_sum(const struct model *m, const struct sum *sum)
{
	const char *path = m->mappings[sum->mapping].path;
	const char *slash = strrchr(path, '/');

	fprintf(stderr, "  %5.1f %%  ",
		100.0 * (double)sum->count / (double)m->books.counted);
	text_print(stderr, sum->function ? m->functions[sum->function].name :
					   "[no name]");
	fputs("  ", stderr);
	text_print(stderr, slash ? slash + 1 : path);
	fputc('\n', stderr);
}

static void print_unseen(const struct books *books)
{
	if (books->off_wall_ns)
		fprintf(stderr, "profil: off for %.2f s, %.2f s of them on a CPU (%llu samples)\n",
			(double)books->off_wall_ns / 1e9,
			(double)books->off_cpu_ns / 1e9,
			(unsigned long long)books->off);
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

void summary_print(const struct recording *r, const char *path)
{
	const struct model *m = r->model;
	const struct books *books = &m->books;
	struct sum *sums;
	size_t nr, i;

	fprintf(stderr, "profil: %llu samples, %u a second of CPU time: %.2f s on a CPU in %.2f s, %u program%s\n",
		(unsigned long long)books->counted, (unsigned int)m->rate,
		(double)books->cpu_ns / 1e9, (double)books->wall_ns / 1e9,
		r->nr_processes, r->nr_processes == 1 ? "" : "s");
	sums = sums_of(m, &nr);
	for (i = 0; i < nr && i < LINES; i++)
		print_sum(m, &sums[i]);
	free(sums);
	print_unseen(books);
	hints_print(stderr, m);
	if (!path)
		return;
	fputs("profil: for all of it: profil report", stderr);
	if (r->output) {
		fputs(" -i ", stderr);
		text_print(stderr, path);
	}
	fputc('\n', stderr);
	text_print(stderr, path);
	fputc('\n', stderr);
}
