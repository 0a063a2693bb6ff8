// SPDX-License-Identifier: MIT
/*
 * Copying a part of a profile.  What no sample of it uses stays behind: objects
 * and functions of others would be opened, looked up, and given away with it.
 */
#include <stdlib.h>

#include "copy.h"
#include "util.h"

/* From the ids of a model to those of its copy; 0: not used, or not yet there. */
struct copier {
	const struct model *from;
	struct model *to;
	const bool *kept;
	bool names;
	uint32_t *mappings, *functions, *locations;
};

static bool copier_keeps(const struct copier *c, size_t sample)
{
	return !c->kept || c->kept[sample];
}

/* 1 stands for "used" until the copy is there. */
static void mark_used(struct copier *c)
{
	const struct sample *sample;
	size_t i, j;
	uint32_t id;

	/* All, also in their numbers. */
	for (id = 1; !c->kept && id <= c->from->nr_mappings; id++)
		c->mappings[id] = 1;
	for (i = 0; i < c->from->nr_samples; i++) {
		if (!copier_keeps(c, i))
			continue;
		sample = &c->from->samples[i];
		for (j = 0; j < sample->nr_locations; j++) {
			id = sample->locations[j];
			c->locations[id] = 1;
			c->mappings[c->from->locations[id].mapping] = 1;
		}
	}
	c->mappings[0] = 0;
}

/* In their order: to readers of pprof's format, the first is the program. */
static void copy_mappings(struct copier *c)
{
	uint32_t id;

	for (id = 1; id <= c->from->nr_mappings; id++)
		if (c->mappings[id])
			c->mappings[id] = model_mapping(c->to,
							&c->from->mappings[id]);
}

static void copy_lines(struct copier *c, const struct location *from,
		       uint32_t to)
{
	struct line *lines = xcalloc(from->nr_lines + 1, sizeof(*lines));
	uint32_t function;
	size_t i;

	for (i = 0; i < from->nr_lines; i++) {
		function = from->lines[i].function;
		if (!c->functions[function])
			c->functions[function] =
				model_function(c->to,
					       &c->from->functions[function]);
		lines[i] = (struct line){ .function = c->functions[function],
					  .line = from->lines[i].line };
	}
	model_set_lines(c->to, to, lines, from->nr_lines);
	free(lines);
}

/* With names, two at one address stay two: text that a program made. */
static void copy_locations(struct copier *c)
{
	const struct location *from;
	uint32_t id, mapping;

	for (id = 1; id <= c->from->nr_locations; id++) {
		if (!c->locations[id])
			continue;
		from = &c->from->locations[id];
		mapping = c->mappings[from->mapping];
		if (!c->names) {
			c->locations[id] = model_location(c->to, mapping,
							  from->address);
			continue;
		}
		c->locations[id] = model_new_location(c->to, mapping,
						      from->address);
		copy_lines(c, from, c->locations[id]);
	}
}

static void copy_samples(struct copier *c)
{
	const struct sample *sample;
	uint32_t *locations;
	size_t i, j;

	for (i = 0; i < c->from->nr_samples; i++) {
		if (!copier_keeps(c, i))
			continue;
		sample = &c->from->samples[i];
		locations = xcalloc(sample->nr_locations + 1,
				    sizeof(*locations));
		for (j = 0; j < sample->nr_locations; j++)
			locations[j] = c->locations[sample->locations[j]];
		model_sample(c->to, locations, sample->nr_locations,
			     sample->labels, sample->nr_labels, sample->count,
			     sample->ns);
		free(locations);
	}
}

struct model *model_copy(const struct model *m, const bool *kept, bool names)
{
	struct copier c = {
		.from = m, .to = model_new(), .kept = kept, .names = names,
		.mappings = xcalloc(m->nr_mappings + 1, sizeof(uint32_t)),
		.functions = xcalloc(m->nr_functions + 1, sizeof(uint32_t)),
		.locations = xcalloc(m->nr_locations + 1, sizeof(uint32_t)),
	};

	c.to->command = model_string(c.to, m->command);
	c.to->books = m->books;
	c.to->time_ns = m->time_ns;
	c.to->duration_ns = m->duration_ns;
	c.to->rate = m->rate;
	mark_used(&c);
	copy_mappings(&c);
	copy_locations(&c);
	copy_samples(&c);
	free(c.mappings);
	free(c.functions);
	free(c.locations);
	return c.to;
}
