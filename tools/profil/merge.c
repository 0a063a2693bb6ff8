// SPDX-License-Identifier: MIT
/* Summing profiles: what is equal in two of them becomes one. */
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "pprof.h"
#include "util.h"

#define MAX_COMMANDS	4	/* that the head names */

static void merge_books(struct books *sum, const struct books *from)
{
	sum->seen += from->seen;
	sum->counted += from->counted;
	sum->unplaced += from->unplaced;
	sum->refused += from->refused;
	sum->lost += from->lost;
	sum->left += from->left;
	sum->not_followed += from->not_followed;
	sum->wall_ns += from->wall_ns;
	sum->cpu_ns += from->cpu_ns;
	sum->off += from->off;
	sum->off_wall_ns += from->off_wall_ns;
	sum->off_cpu_ns += from->off_cpu_ns;
}

/* From the first begin to the last end.  A file of another tool may have no time. */
static void merge_time(struct model *sum, const struct model *from)
{
	int64_t end = sum->time_ns + sum->duration_ns;

	if (!from->time_ns)
		return;
	if (!sum->time_ns) {
		sum->time_ns = from->time_ns;
		sum->duration_ns = from->duration_ns;
		return;
	}
	if (from->time_ns + from->duration_ns > end)
		end = from->time_ns + from->duration_ns;
	if (from->time_ns < sum->time_ns)
		sum->time_ns = from->time_ns;
	sum->duration_ns = end - sum->time_ns;
}

static void merge_comment(struct model *sum, const char *comment)
{
	size_t i;

	for (i = 0; i < sum->nr_comments; i++)
		if (!strcmp(comment, sum->comments[i]))
			return;
	model_comment(sum, comment);
}

/* Books of some of the files would look like books of all. */
static void drop_books(struct model *sum)
{
	sum->books = (struct books){ 0 };
	merge_comment(sum, "note: CPU time and lost samples are not known of all profiles");
}

void model_merge(struct model *sum, const struct model *from, const char *side)
{
	const struct copying how = { .side = side };
	bool known = !model_lacks_books(sum) && !model_lacks_books(from);
	size_t i;

	model_copy(sum, from, &how);
	if (strcmp(sum->only, from->only) != 0)
		sum->only = sum->empty;
	for (i = 0; i < from->nr_threads; i++)
		model_thread(sum, &from->threads[i]);
	if (known)
		merge_books(&sum->books, &from->books);
	else if (!model_lacks_books(sum) || !model_lacks_books(from))
		drop_books(sum);
	merge_time(sum, from);
	for (i = 0; i < from->nr_comments; i++)
		merge_comment(sum, from->comments[i]);
}

void inputs_add(struct inputs *inputs, const char *path)
{
	inputs->list = xgrow(inputs->list, inputs->nr, sizeof(*inputs->list));
	inputs->list[inputs->nr++] = path;
}

void inputs_free(struct inputs *inputs)
{
	free(inputs->list);
	free(inputs->name);
	*inputs = (struct inputs){ 0 };
}

static const char *name_of_files(const struct inputs *inputs)
{
	return inputs->nr > 1 ? "the sum" : inputs->list[0];
}

const char *inputs_name(struct inputs *inputs)
{
	char *only = only_text(&inputs->only);

	free(inputs->name);
	inputs->name = *only ? xasprintf("%s in %s", only,
					 name_of_files(inputs)) :
			       xstrdup(name_of_files(inputs));
	free(only);
	return inputs->name;
}

/* Those of the files before, each once. */
struct commands {
	const char *list[MAX_COMMANDS];
	size_t nr;		/* may be more */
};

static void note_command(struct model *sum, struct commands *seen,
			 const char *command)
{
	size_t i, kept = seen->nr < MAX_COMMANDS ? seen->nr : MAX_COMMANDS;
	char *begin, *text;

	for (i = 0; i < kept; i++)
		if (!strcmp(seen->list[i], command))
			return;
	if (seen->nr < MAX_COMMANDS)
		seen->list[seen->nr] = model_string(sum, command);
	if (seen->nr++ && seen->nr <= MAX_COMMANDS) {
		begin = text_begin(command, 200);
		text = xasprintf("note: and of the command: %s", begin);
		model_comment(sum, text);
		free(begin);
		free(text);
	} else if (seen->nr == MAX_COMMANDS + 1) {
		model_comment(sum, "note: and of other commands");
	}
}

static void check_rate(const struct inputs *inputs, const struct model *sum,
		       const struct model *one, const char *path)
{
	if (sum->rate != one->rate)
		die(STATUS_USAGE,
		    "%s has %llu samples a second of CPU time and %s has %llu: their sum would be of neither; profil diff compares their shares",
		    inputs->list[0], (unsigned long long)sum->rate, path,
		    (unsigned long long)one->rate);
}

/* A part or a share is one of this file's samples, and the sum has others too. */
static const char *note_of_one(const char *comment)
{
	static const char begin[] = "note: ", whole[] = "of the whole: ";
	const char *note;

	if (strncmp(comment, begin, strlen(begin)) != 0)
		return NULL;
	note = comment + strlen(begin);
	/* Of a recording of which the file has a part. */
	if (!strncmp(note, whole, strlen(whole)))
		return note;
	return !strncmp(note, "only ", 5) || (*note >= '0' && *note <= '9') ?
	       note : NULL;
}

static void name_file(struct model *m, const char *path)
{
	const char *note;
	char *text;
	size_t i;

	for (i = 0; i < m->nr_comments; i++) {
		note = note_of_one(m->comments[i]);
		if (!note)
			continue;
		text = xasprintf("note: of %s %s", path, note);
		m->comments[i] = model_string(m, text);
		free(text);
	}
}

/* The note of a sum, or that of a part of a sum. */
static bool is_of_all(const char *comment, const char *text)
{
	static const char *const begins[] = { "note: ", "note: of the whole: " };
	size_t i, length = (size_t)(text - comment);

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (length == strlen(begins[i]) &&
		    !strncmp(comment, begins[i], length))
			return true;
	return false;
}

/* How many profiles a file is the sum of, by its note, which goes. */
static unsigned long long take_parts(struct model *m)
{
	static const char sum[] = "the sum of ";
	unsigned long long nr = 1;
	size_t i, kept = 0;
	const char *text;

	for (i = 0; i < m->nr_comments; i++) {
		text = strstr(m->comments[i], sum);
		if (text && is_of_all(m->comments[i], text))
			nr = strtoull(text + strlen(sum), NULL, 10);
		else
			m->comments[kept++] = m->comments[i];
	}
	m->nr_comments = kept;
	return nr;
}

/* What a file says of its own samples alone. */
static unsigned long long take_notes(struct model *m, const char *path)
{
	unsigned long long nr = take_parts(m);

	name_file(m, path);
	return nr;
}

/* Adds the samples of the second file and those behind it. */
static void sum_others(struct model *sum, const struct inputs *inputs,
		       time_t *written)
{
	unsigned long long parts = take_notes(sum, inputs->list[0]);
	struct commands seen = { .nr = 0 };
	struct model *one;
	time_t then;
	char *text;
	size_t i;

	note_command(sum, &seen, sum->command);
	for (i = 1; i < inputs->nr; i++) {
		one = pprof_read(inputs->list[i], &then);
		check_rate(inputs, sum, one, inputs->list[i]);
		parts += take_notes(one, inputs->list[i]);
		note_command(sum, &seen, one->command);
		model_merge(sum, one, NULL);
		model_free(one);
		if (then > *written)
			*written = then;
	}
	text = xasprintf("note: the sum of %llu profiles", parts);
	model_comment(sum, text);
	free(text);
}

struct model *inputs_read(struct inputs *inputs, time_t *written)
{
	struct model *sum;

	if (!inputs->nr)
		inputs_add(inputs, PPROF_DEFAULT);
	sum = pprof_read(inputs->list[0], written);
	if (inputs->nr > 1)
		sum_others(sum, inputs, written);
	return only_kept(sum, &inputs->only, name_of_files(inputs),
			 STATUS_NOT_FOUND);
}
