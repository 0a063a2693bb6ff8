// SPDX-License-Identifier: MIT
/* A profile from the bytes of its file, each number of which may be wrong. */
#include <stdlib.h>
#include <string.h>

#include "pprof.h"
#include "proto.h"
#include "reader.h"
#include "util.h"

/* More than any program has; together they keep the memory below a GiB. */
#define MAX_ENTRIES	(1U << 21)
#define MAX_LINES	(1U << 22)

bool reader_fail(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

const char *reader_text(struct reader *r, uint64_t nr)
{
	if (nr < r->nr_strings)
		return r->strings[nr];
	reader_fail(r, "it names a string that it does not have");
	return r->m->empty;
}

uint32_t reader_id(const struct ids *ids, uint64_t id)
{
	return id < ids->nr ? ids->to[id] : 0;
}

static bool id_set(struct reader *r, struct ids *ids, uint64_t id, uint32_t to)
{
	size_t nr;

	if (!id || id > MAX_ENTRIES)
		return reader_fail(r, "an id is 0 or too high");
	if (id >= ids->nr) {
		nr = 2 * id;
		ids->to = realloc(ids->to, nr * sizeof(*ids->to));
		if (!ids->to)
			die(STATUS_USAGE, "out of memory");
		memset(ids->to + ids->nr, 0, (nr - ids->nr) *
					     sizeof(*ids->to));
		ids->nr = nr;
	}
	if (ids->to[id])
		return reader_fail(r, "two entries have one id");
	ids->to[id] = to;
	return true;
}

static void read_string(struct reader *r, const struct field *field)
{
	if (!field->bytes || memchr(field->bytes, '\0', field->size)) {
		reader_fail(r, "a string is damaged");
		return;
	}
	r->strings = xgrow(r->strings, r->nr_strings, sizeof(*r->strings));
	r->strings[r->nr_strings++] =
		model_string_n(r->m, (const char *)field->bytes, field->size);
}

static void read_mapping(struct reader *r, struct in *in)
{
	struct mapping mapping = { .path = "", .build_id = "" };
	struct field field;
	uint64_t id = 0;

	while (in_field(in, &field)) {
		switch (field.nr) {
		case MAPPING_ID:
			id = field.number;
			break;
		case MAPPING_START:
			mapping.start = field.number;
			break;
		case MAPPING_LIMIT:
			mapping.limit = field.number;
			break;
		case MAPPING_OFFSET:
			mapping.offset = field.number;
			break;
		case MAPPING_PATH:
			mapping.path = reader_text(r, field.number);
			break;
		case MAPPING_BUILD_ID:
			mapping.build_id = reader_text(r, field.number);
			break;
		}
	}
	if (mapping.start > mapping.limit)
		reader_fail(r, "a mapping ends before it begins");
	if (!r->why)
		id_set(r, &r->mappings, id, model_mapping(r->m, &mapping));
}

static void read_function(struct reader *r, struct in *in)
{
	struct function function = { 0 };
	struct field field;
	uint64_t id = 0;

	while (in_field(in, &field)) {
		switch (field.nr) {
		case FUNCTION_ID:
			id = field.number;
			break;
		case FUNCTION_NAME:
			function.name = reader_text(r, field.number);
			break;
		case FUNCTION_SYSTEM_NAME:
			function.system_name = reader_text(r, field.number);
			break;
		case FUNCTION_FILE:
			function.file = reader_text(r, field.number);
			break;
		case FUNCTION_START_LINE:
			function.start_line = field.number;
			break;
		}
	}
	if (!r->why)
		id_set(r, &r->functions, id, model_function(r->m, &function));
}

/* False for a line without a function, too. */
static bool read_line(struct reader *r, const struct field *message,
		      struct line *line)
{
	bool named = false;
	struct in in = in_message(message);
	struct field field;

	*line = (struct line){ 0 };
	while (in_field(&in, &field)) {
		if (field.nr == LINE_FUNCTION) {
			line->function = reader_id(&r->functions, field.number);
			named = field.number;
		} else if (field.nr == LINE_LINE) {
			if (field.number > INT32_MAX)
				return reader_fail(r,
						 "a line's number is too high");
			line->line = field.number;
		}
	}
	if (in.bad || (named && !line->function))
		return reader_fail(r, "a location's line is damaged");
	if (++r->nr_lines > MAX_LINES)
		return reader_fail(r, "it has more lines than profil reads");
	return named;
}

static void read_location(struct reader *r, struct in *in)
{
	uint64_t id = 0, address = 0;
	struct line *lines = NULL;
	uint32_t mapping = 0, new;
	struct field field;
	size_t nr = 0;

	while (!r->why && in_field(in, &field)) {
		switch (field.nr) {
		case LOCATION_ID:
			id = field.number;
			break;
		case LOCATION_MAPPING:
			mapping = reader_id(&r->mappings, field.number);
			if (field.number && !mapping)
				reader_fail(r, "a location is in no mapping");
			break;
		case LOCATION_ADDRESS:
			address = field.number;
			break;
		case LOCATION_LINE:
			if (nr == LINES_MAX) {
				reader_fail(r, "a location has too many lines");
				break;
			}
			lines = xgrow(lines, nr, sizeof(*lines));
			if (read_line(r, &field, &lines[nr]))
				nr++;
			break;
		}
	}
	if (!r->why) {
		new = r->m->nr_locations + 1;
		/* Other tools have several without an address. */
		if (!address || model_location(r->m, mapping, address) != new)
			new = model_new_location(r->m, mapping, address);
		if (id_set(r, &r->locations, id, new))
			model_set_lines(r->m, new, lines, nr);
	}
	free(lines);
}

struct kind {
	const char *type, *unit;
};

static struct kind read_kind(struct reader *r, struct in *in)
{
	struct kind kind = { "", "" };
	struct field field;

	while (in_field(in, &field)) {
		if (field.nr == TYPE_TYPE)
			kind.type = reader_text(r, field.number);
		else if (field.nr == TYPE_UNIT)
			kind.unit = reader_text(r, field.number);
	}
	return kind;
}

/* The names that profilers of CPU time give; perf's are "EVENT_sample". */
static bool is_count(const struct kind *kind)
{
	static const char *const names[] = { "samples", "sample", "cpu-samples" };
	const char *last = strrchr(kind->type, '_');
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(kind->type, names[i]))
			return true;
	return last && !strcmp(last, "_sample");
}

static bool is_cpu_time(const struct kind *kind)
{
	return (!strcmp(kind->type, "cpu") || !strcmp(kind->type, "cpu-time")) &&
	       !strcmp(kind->unit, "nanoseconds");
}

/* The first of several. */
static void read_type(struct reader *r, struct in *in)
{
	struct kind kind = read_kind(r, in);

	if (r->count_type == UINT32_MAX && is_count(&kind))
		r->count_type = r->nr_types;
	else if (r->ns_type == UINT32_MAX && is_cpu_time(&kind))
		r->ns_type = r->nr_types;
	if (++r->nr_types > 16)
		reader_fail(r, "it has too many kinds of values");
}

static void read_period_type(struct reader *r, struct in *in)
{
	struct kind kind = read_kind(r, in);

	r->other_period = strcmp(kind.unit, "nanoseconds") != 0;
}

/* 0, which is not known, if it is negative or the sum of two would overflow. */
static int64_t known_time(uint64_t ns)
{
	return ns >> 62 ? 0 : (int64_t)ns;
}

static void read_number(struct reader *r, const struct field *field)
{
	struct in at = { 0 };
	uint64_t number;

	if (field->nr == PROFILE_TIME) {
		r->m->time_ns = known_time(field->number);
	} else if (field->nr == PROFILE_DURATION) {
		r->m->duration_ns = known_time(field->number);
	} else if (field->nr == PROFILE_PERIOD) {
		/* One of cycles, or of bytes, says no rate. */
		r->period = r->other_period ? 0 :
					      (uint64_t)known_time(field->number);
		r->m->rate = pprof_inverse(r->period);
	} else if (field->nr == PROFILE_COMMENT) {
		if (field->bytes)
			at = in_message(field);
		while (in_next(&at, field, &number)) {
			const char *comment = reader_text(r, number);

			if (!books_read(r->m, comment))
				model_comment(r->m, comment);
		}
		if (at.bad)
			reader_fail(r, "a comment is damaged");
	}
}

/* Reads the fields of this number alone, so that each finds what it names. */
static void pass_over(struct reader *r, struct in top, unsigned int nr,
		      void (*read)(struct reader *r, struct in *in))
{
	struct field field;
	struct in message;

	while (!r->why && in_field(&top, &field)) {
		if (!nr) {
			read_number(r, &field);
		} else if (!read && field.nr == nr) {
			read_string(r, &field);
		} else if (field.nr == nr) {
			message = in_message(&field);
			read(r, &message);
			if (message.bad)
				reader_fail(r, "an entry is damaged");
		} else {
			continue;
		}
		if (++r->nr_entries > 4ul * MAX_ENTRIES)
			reader_fail(r, "it has more entries than profil reads");
	}
	if (top.bad)
		reader_fail(r, "it is damaged, or is no profile");
}

static void check_types(struct reader *r)
{
	if (r->why || r->count_type != UINT32_MAX)
		return;
	if (r->ns_type == UINT32_MAX)
		reader_fail(r, "it has no samples of CPU time: it is a profile of something else");
	else if (!r->period)
		reader_fail(r, "it has no period, so that its CPU time makes no samples");
}

struct model *pprof_decode(const unsigned char *data, size_t size,
			   const char **why)
{
	struct in in = { data, data + size, false };
	struct reader r = { .m = model_new(), .count_type = UINT32_MAX,
			    .ns_type = UINT32_MAX };

	pass_over(&r, in, PROFILE_STRING, NULL);
	if (!r.why && (!r.nr_strings || *r.strings[0]))
		reader_fail(&r, "it is empty, or is no profile");
	pass_over(&r, in, PROFILE_SAMPLE_TYPE, read_type);
	if (!r.why && !r.nr_types)
		reader_fail(&r, "it does not say what its values are");
	pass_over(&r, in, PROFILE_PERIOD_TYPE, read_period_type);
	pass_over(&r, in, 0, NULL);
	check_types(&r);
	pass_over(&r, in, PROFILE_MAPPING, read_mapping);
	pass_over(&r, in, PROFILE_FUNCTION, read_function);
	pass_over(&r, in, PROFILE_LOCATION, read_location);
	pass_over(&r, in, PROFILE_SAMPLE, reader_sample);
	free(r.strings);
	free(r.mappings.to);
	free(r.functions.to);
	free(r.locations.to);
	*why = r.why;
	if (!r.why)
		return r.m;
	model_free(r.m);
	return NULL;
}
