// SPDX-License-Identifier: MIT
/*
 * Gives the reader of profiles damaged ones, from a seed, for so many seconds;
 * what it takes is added up and written as well.
 *
 *	fuzz SECONDS SEED FILE...
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "edges.h"
#include "head.h"
#include "pprof.h"
#include "rows.h"
#include "tree.h"
#include "util.h"

#define ROOM	(1 << 20)

static uint64_t state;

static uint64_t roll(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static size_t unpack(const char *path, unsigned char *data)
{
	gzFile file = gzopen(path, "rb");
	int nr = file ? gzread(file, data, ROOM / 2) : -1;

	if (nr <= 0)
		die(STATUS_USAGE, "%s can't be read", path);
	gzclose(file);
	return nr;
}

static size_t damage(unsigned char *data, size_t size)
{
	static const unsigned char odd[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t at, from, length, i, times = 1 + roll(8);

	for (i = 0; i < times && size > 1; i++) {
		at = roll(size);
		from = roll(size);
		length = 1 + roll(16);
		if (length > size - at)
			length = size - at;
		if (length > size - from)
			length = size - from;
		switch (roll(6)) {
		case 0:
			data[at] ^= 1 << roll(8);
			break;
		case 1:
			data[at] = odd[roll(sizeof(odd))];
			break;
		case 2:
			memset(data + at, 0xff, length);
			break;
		case 3:
			memmove(data + at, data + from, length);
			break;
		case 4:
			memmove(data + at, data + at + length,
				size - at - length);
			size -= length;
			break;
		case 5:
			if (roll(8) == 0)
				size = at + 1;
			break;
		}
	}
	return size;
}

/* Names of the file itself, and one with a colon. */
static void use_edges(struct model *m)
{
	struct frames *f = frames_new(m);
	const char *name = "prog:alpha";
	struct candidate_frame *list;
	struct edges edges;
	size_t nr;

	if (m->nr_functions && roll(2))
		name = m->functions[1 + roll(m->nr_functions)].name;
	list = edges_find(f, name, &nr);
	if (nr) {
		edges = edges_make(f, list[roll(nr)].function, roll(2));
		rows_free(&edges.rows);
	}
	free(list);
	frames_free(f);
}

static void use(struct model *m, FILE *out)
{
	unsigned char *again;
	struct rows rows;
	const char *why;
	size_t size;
	char *head;
	int by;

	for (by = 0; by < NR_BY; by++) {
		rows = rows_make(m, by);
		rows_free(&rows);
	}
	head = head_text(m, 0, true);
	fputs(head, out);
	free(head);
	tree_json(m, NULL, out);
	use_edges(m);
	again = pprof_encode(m, &size);
	model_free(m);
	m = pprof_decode(again, size, &why);
	if (!m) {
		fprintf(stderr, "what was written is not read: %s\n", why);
		abort();
	}
	model_free(m);
	free(again);
}

int main(int argc, char **argv)
{
	unsigned char *data = xmalloc(ROOM), *part;
	unsigned long tries = 0, taken = 0;
	FILE *out = fopen("/dev/null", "w");
	const char *why;
	struct model *m;
	time_t end;
	size_t size;

	if (argc < 4 || !out)
		die(STATUS_USAGE, "usage: fuzz SECONDS SEED FILE...");
	end = time(NULL) + atol(argv[1]);
	state = strtoull(argv[2], NULL, 0) * 2654435761U + 1;
	while (time(NULL) < end) {
		size = unpack(argv[3 + roll(argc - 3)], data);
		size = damage(data, size);
		/* Of its own size, so that ASan sees what lies beyond. */
		part = xmalloc(size);
		memcpy(part, data, size);
		m = pprof_decode(part, size, &why);
		free(part);
		tries++;
		if (m) {
			taken++;
			use(m, out);
		}
	}
	fclose(out);
	free(data);
	printf("%lu tries, %lu taken\n", tries, taken);
	return !(taken && taken < tries);
}
