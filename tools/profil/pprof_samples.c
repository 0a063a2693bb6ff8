// SPDX-License-Identifier: MIT
/* The samples of a profile's file: their locations, values and labels. */
#include <stdlib.h>

#include "pprof.h"
#include "proto.h"
#include "reader.h"
#include "util.h"

#define MAX_FRAMES	(1U << 26)	/* of all samples, with inlined ones */

static bool read_label(struct reader *r, const struct field *message,
		       struct label *label)
{
	struct in in = in_message(message);
	struct field field;

	*label = (struct label){ .key = r->m->empty };
	while (in_field(&in, &field)) {
		if (field.nr == LABEL_FIELD_KEY)
			label->key = reader_text(r, field.number);
		else if (field.nr == LABEL_FIELD_STR)
			label->str = reader_text(r, field.number);
		else if (field.nr == LABEL_FIELD_NUM)
			label->num = field.number;
	}
	return !in.bad || reader_fail(r, "a label is damaged");
}

/* The parts of a sample, in memory that serves for all samples. */
struct parts {
	uint32_t *locations;
	uint64_t *values;
	struct label *labels;
	size_t nr_locations, nr_values, nr_labels;
};

static void add_frame(struct reader *r, struct parts *p, uint32_t id)
{
	const struct location *loc = &r->m->locations[id];

	r->nr_frames += loc->nr_lines ? loc->nr_lines : 1;
	if (r->nr_frames > MAX_FRAMES)
		reader_fail(r, "it has more frames than profil reads");
	p->locations = xgrow(p->locations, p->nr_locations,
			     sizeof(*p->locations));
	p->locations[p->nr_locations++] = id;
}

static void read_part(struct reader *r, const struct field *field,
		      struct parts *p)
{
	struct in at = { 0 };
	uint64_t number;
	uint32_t id;

	if (field->bytes)
		at = in_message(field);
	if (field->nr == SAMPLE_LOCATION) {
		while (!r->why && in_next(&at, field, &number)) {
			id = reader_id(&r->locations, number);
			if (id)
				add_frame(r, p, id);
			else
				reader_fail(r, "a sample is at no location");
		}
	} else if (field->nr == SAMPLE_VALUE) {
		while (in_next(&at, field, &number)) {
			p->values = xgrow(p->values, p->nr_values,
					  sizeof(*p->values));
			p->values[p->nr_values++] = number;
		}
	} else if (field->nr == SAMPLE_LABEL) {
		p->labels = xgrow(p->labels, p->nr_labels, sizeof(*p->labels));
		if (read_label(r, field, &p->labels[p->nr_labels]))
			p->nr_labels++;
	}
	if (at.bad)
		reader_fail(r, "a sample is damaged");
}

/*
 * Other tools may tell the time alone, and of many stacks less than a period.  What
 * is left over goes to the next one, so that their sum is right.
 */
static uint64_t count_of(struct reader *r, uint64_t ns)
{
	uint64_t count = ns / r->period;

	r->rest += (int64_t)(ns % r->period);
	if (r->rest >= (int64_t)(r->period - r->period / 2)) {
		r->rest -= (int64_t)r->period;
		count++;
	}
	return count;
}

static void add_sample(struct reader *r, struct parts *p)
{
	uint64_t count, ns;

	if (!p->nr_values || p->nr_values != r->nr_types) {
		reader_fail(r, "a sample lacks its values");
		return;
	}
	/* Of an empty stack nothing is known but its samples. */
	if (!p->nr_locations)
		add_frame(r, p, model_location(r->m, 0, 0));
	if (r->why)
		return;
	count = r->count_type < r->nr_types ? p->values[r->count_type] :
					      count_of(r, p->values[r->ns_type]);
	ns = r->ns_type < r->nr_types ? p->values[r->ns_type] :
					count * r->period;
	if (count >> 48 || ns >> 62)
		reader_fail(r, "a sample's value is too high");
	else
		model_sample(r->m, p->locations, p->nr_locations, p->labels,
			     p->nr_labels, count, ns);
}

void reader_sample(struct reader *r, struct in *in)
{
	struct parts p = { 0 };
	struct field field;

	while (!r->why && in_field(in, &field))
		read_part(r, &field, &p);
	if (!r->why)
		add_sample(r, &p);
	free(p.locations);
	free(p.values);
	free(p.labels);
}
