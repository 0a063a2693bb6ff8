// SPDX-License-Identifier: MIT
/*
 * Copying samples of one model into another.
 *
 * A copy of some samples has only the mappings, locations and functions that they
 * use, so that an export of one process tells nothing about others.
 */
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "hash.h"
#include "rows.h"
#include "util.h"

/* Arrays are indexed by ids of the original.  An id of the copy is 0 until it is made. */
struct copier {
	struct model *to;
	const struct model *from;
	const struct copying *how;
	uint32_t *mappings, *functions, *locations;
	bool *uses_mapping, *uses_location;
	struct table *segments;	/* mappings of the copy with a build id */
};

static bool copier_keeps(const struct copier *c, size_t sample)
{
	return !c->how->kept || c->how->kept[sample];
}

static void mark_used(struct copier *c)
{
	const struct sample *sample;
	size_t i, j;
	uint32_t id;

	for (i = 0; i < c->from->nr_samples; i++) {
		if (!copier_keeps(c, i))
			continue;
		sample = &c->from->samples[i];
		for (j = 0; j < sample->nr_locations; j++) {
			id = sample->locations[j];
			c->uses_location[id] = true;
			c->uses_mapping[c->from->locations[id].mapping] = true;
		}
	}
}

/* The path and the build id are interned by the copy. */
static uint64_t segment_hash(const struct mapping *mapping)
{
	uint64_t hash = hash_u64(hash_seed(), mapping->offset);

	hash = hash_u64(hash, mapping->limit - mapping->start);
	return hash_pointer(hash_pointer(hash, mapping->path),
			    mapping->build_id);
}

/* A segment of the same file at other addresses, or 0. */
static uint32_t same_segment(const struct copier *c,
			     const struct mapping *mapping)
{
	const struct mapping *there;
	size_t at = SIZE_MAX;
	uint64_t id;

	while ((id = table_next(c->segments, segment_hash(mapping), &at))) {
		there = &c->to->mappings[id];
		if (there->offset == mapping->offset &&
		    there->limit - there->start ==
			    mapping->limit - mapping->start &&
		    there->path == mapping->path &&
		    there->build_id == mapping->build_id)
			return id;
	}
	return 0;
}

static void add_segment(struct copier *c, uint32_t id)
{
	const struct mapping *mapping = &c->to->mappings[id];

	if (*mapping->build_id)
		table_add(c->segments, segment_hash(mapping), id);
}

/* The order is kept, because other readers take the first mapping for the program. */
static void copy_mappings(struct copier *c)
{
	struct mapping mapping;
	uint32_t id;

	for (id = 1; id <= c->to->nr_mappings; id++)
		add_segment(c, id);
	for (id = 1; id <= c->from->nr_mappings; id++) {
		if (c->how->kept && !c->uses_mapping[id])
			continue;
		mapping = c->from->mappings[id];
		if (c->how->side)
			mapping.path = base_name(mapping.path);
		mapping.path = model_string(c->to, mapping.path);
		mapping.build_id = model_string(c->to, mapping.build_id);
		c->mappings[id] = same_segment(c, &mapping);
		if (c->mappings[id])
			continue;
		c->mappings[id] = model_mapping(c->to, &mapping);
		add_segment(c, c->mappings[id]);
	}
}

static uint32_t copy_function(struct copier *c, uint32_t id)
{
	if (!c->functions[id])
		c->functions[id] = model_function(c->to,
						  &c->from->functions[id]);
	return c->functions[id];
}

/* Text that a program made may have two functions at one address. */
static uint32_t copy_named(struct copier *c, const struct location *loc,
			   uint32_t mapping, uint64_t address)
{
	struct line *lines = xcalloc(loc->nr_lines + 1, sizeof(*lines));
	uint32_t before = c->to->nr_locations, id;
	const struct location *there;
	size_t i;

	for (i = 0; i < loc->nr_lines; i++) {
		lines[i].function = copy_function(c, loc->lines[i].function);
		lines[i].line = loc->lines[i].line;
	}
	id = model_location(c->to, mapping, address);
	there = &c->to->locations[id];
	for (i = 0; i < loc->nr_lines && i < there->nr_lines; i++)
		if (there->lines[i].function != lines[i].function ||
		    there->lines[i].line != lines[i].line)
			break;
	if (id <= before && (i < loc->nr_lines || i < there->nr_lines))
		id = model_new_location(c->to, mapping, address);
	if (id > before)
		model_set_lines(c->to, id, lines, loc->nr_lines);
	free(lines);
	return id;
}

static uint32_t copy_location(struct copier *c, const struct location *loc)
{
	uint32_t mapping = c->mappings[loc->mapping];
	uint64_t address = loc->address;

	if (mapping)
		address += c->to->mappings[mapping].start -
			   c->from->mappings[loc->mapping].start;
	return c->how->without_names ?
	       model_location(c->to, mapping, address) :
	       copy_named(c, loc, mapping, address);
}

static void copy_sample(struct copier *c, const struct sample *sample)
{
	size_t nr = sample->nr_labels, i;
	struct label *labels = xcalloc(nr + 1, sizeof(*labels));
	uint32_t *locations = xcalloc(sample->nr_locations + 1,
				      sizeof(*locations));

	for (i = 0; i < sample->nr_locations; i++)
		locations[i] = c->locations[sample->locations[i]];
	for (i = 0; i < nr; i++)
		labels[i] = sample->labels[i];
	if (c->how->side)
		labels[nr++] = (struct label){ .key = LABEL_SIDE,
					       .str = c->how->side };
	model_sample(c->to, locations, sample->nr_locations, labels, nr,
		     sample->count, sample->ns);
	free(locations);
	free(labels);
}

void model_copy(struct model *to, const struct model *from,
		const struct copying *how)
{
	struct copier c = {
		.to = to, .from = from, .how = how,
		.mappings = xcalloc(from->nr_mappings + 1, sizeof(uint32_t)),
		.functions = xcalloc(from->nr_functions + 1, sizeof(uint32_t)),
		.locations = xcalloc(from->nr_locations + 1, sizeof(uint32_t)),
		.uses_mapping = xcalloc(from->nr_mappings + 1, sizeof(bool)),
		.uses_location = xcalloc(from->nr_locations + 1, sizeof(bool)),
		.segments = xcalloc(1, sizeof(struct table)),
	};
	uint32_t id;
	size_t i;

	mark_used(&c);
	copy_mappings(&c);
	for (id = 1; id <= from->nr_locations; id++)
		if (c.uses_location[id])
			c.locations[id] = copy_location(&c,
							&from->locations[id]);
	for (i = 0; i < from->nr_samples; i++)
		if (copier_keeps(&c, i))
			copy_sample(&c, &from->samples[i]);
	free(c.mappings);
	free(c.functions);
	free(c.locations);
	free(c.uses_mapping);
	free(c.uses_location);
	table_free(c.segments);
}

struct model *model_new_like(const struct model *m)
{
	struct model *new = model_new();

	new->command = model_string(new, m->command);
	new->time_ns = m->time_ns;
	new->duration_ns = m->duration_ns;
	new->rate = m->rate;
	return new;
}
