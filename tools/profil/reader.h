/* SPDX-License-Identifier: MIT */
/* What the two files share that make a profile of the bytes of its file. */
#ifndef PROFIL_READER_H
#define PROFIL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "proto.h"

/* From the ids of the file to those of the model; 0: not there. */
struct ids {
	uint32_t *to;
	size_t nr;
};

struct reader {
	struct model *m;
	const char **strings;
	size_t nr_strings;
	struct ids mappings, functions, locations;
	size_t nr_lines, nr_entries, nr_frames;
	unsigned int nr_types, count_type, ns_type;
	uint64_t period;	/* ns of CPU time, or 0 */
	int64_t rest;		/* ns that made no sample so far, or too many */
	bool other_period;	/* of something else than time */
	const char *why;
};

/* pprof_read.c: the first cause stays; false, for its caller to return. */
bool reader_fail(struct reader *r, const char *why);
/* The string of this number, or an empty one after a failure. */
const char *reader_text(struct reader *r, uint64_t nr);
/* What the file's id is in the model; 0: not there. */
uint32_t reader_id(const struct ids *ids, uint64_t id);

/* pprof_samples.c: a sample, with all that it names read before. */
void reader_sample(struct reader *r, struct in *in);

#endif /* PROFIL_READER_H */
