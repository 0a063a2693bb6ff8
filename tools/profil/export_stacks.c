// SPDX-License-Identifier: MIT
/* Exporting call paths one by one: folded stacks, and speedscope's format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "pprof.h"
#include "rows_out.h"
#include "util.h"

/*
 * ";" parts frames, so that a name can't have one.  A number behind a space at
 * the end would be taken for a count.
 */
static void put_name(FILE *out, const char *name)
{
	char *safe = text_safe(name), *at, *space = strrchr(safe, ' ');

	if (space && space[1 + strspn(space + 1, "0123456789.")])
		space = NULL;
	for (at = safe; *at; at++) {
		if (at == space)
			fputs("\\x20", out);
		else
			fputc(*at == ';' ? ':' : *at, out);
	}
	free(safe);
}

/* What is printed of a frame, and the frame. */
struct folded_name {
	char *text;
	uint32_t frame;
};

static int by_text(const void *a, const void *b)
{
	const struct folded_name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* In the order of their texts: frames of different names may have one text. */
static struct folded_name *fold_names(const struct frames *f)
{
	struct folded_name *names = xcalloc(f->nr, sizeof(*names));
	size_t size;
	uint32_t i;
	FILE *out;

	for (i = 0; i < f->nr; i++) {
		names[i].frame = i;
		out = open_memstream(&names[i].text, &size);
		if (!out)
			die(STATUS_USAGE, "out of memory");
		put_name(out, f->list[i].name);
		if (fclose(out))
			die(STATUS_USAGE, "out of memory");
	}
	qsort(names, f->nr, sizeof(*names), by_text);
	return names;
}

static int by_ids(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;
	size_t i;

	for (i = 0; i < x->nr && i < y->nr; i++)
		if (x->ids[i] != y->ids[i])
			return x->ids[i] < y->ids[i] ? -1 : 1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

/* Frames become places in the list of names; those of one text the same place. */
static void fold_stacks(const struct folded_name *names, uint32_t nr,
			struct stacks *stacks)
{
	uint32_t *place = xcalloc(nr, sizeof(*place)), i, first = 0;
	size_t size = 0, j;

	for (i = 0; i < nr; i++) {
		if (strcmp(names[i].text, names[first].text) != 0)
			first = i;
		place[names[i].frame] = first;
	}
	for (j = 0; j < stacks->nr; j++)
		size += stacks->list[j].nr;
	for (j = 0; j < size; j++)
		stacks->ids[j] = place[stacks->ids[j]];
	free(place);
	qsort(stacks->list, stacks->nr, sizeof(*stacks->list), by_ids);
}

static void print_folded(const struct folded_name *names,
			 const struct stack *stack, uint64_t count, FILE *out)
{
	size_t i;

	for (i = 0; i < stack->nr; i++)
		fprintf(out, "%s%s", i ? ";" : "", names[stack->ids[i]].text);
	fprintf(out, " %" PRIu64 "\n", count);
}

void export_folded(struct model *m, FILE *out)
{
	struct frames *f = frames_new(m);
	struct stacks stacks = stacks_whole(f);
	struct folded_name *names = fold_names(f);
	uint64_t count = 0;
	uint32_t frame;
	size_t i;

	fold_stacks(names, f->nr, &stacks);
	for (i = 0; i < stacks.nr; i++) {
		count += stacks.list[i].count;
		if (i + 1 < stacks.nr &&
		    by_ids(&stacks.list[i], &stacks.list[i + 1]) == 0)
			continue;
		print_folded(names, &stacks.list[i], count, out);
		count = 0;
	}
	for (frame = 0; frame < f->nr; frame++)
		free(names[frame].text);
	free(names);
	stacks_free(&stacks);
	frames_free(f);
}

/* Frames that are printed, numbered in the order of their first use. */
struct shown {
	uint32_t *number;	/* of each frame, + 1; 0: not yet */
	uint32_t *list;
	uint32_t nr;
};

static uint32_t shown_number(struct shown *shown, uint32_t frame)
{
	if (!shown->number[frame]) {
		shown->list[shown->nr] = frame;
		shown->number[frame] = ++shown->nr;
	}
	return shown->number[frame] - 1;
}

static void print_samples(const struct frames *f, const struct stacks *stacks,
			  struct shown *shown, FILE *out)
{
	const struct stack *stack;
	size_t i, j;

	fputs("\"samples\":[", out);
	for (i = 0; i < stacks->nr; i++) {
		stack = &stacks->list[i];
		fputs(i ? ",\n[" : "\n[", out);
		for (j = 0; j < stack->nr; j++)
			fprintf(out, "%s%u", j ? "," : "",
				shown_number(shown, f->list[stack->ids[j]].function));
		fputc(']', out);
	}
	fputs("],\n\"weights\":[", out);
	for (i = 0; i < stacks->nr; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", stacks->list[i].count);
	fputs("]}],\n", out);
}

void export_speedscope(struct model *m, FILE *out)
{
	struct frames *f = frames_new(m);
	struct stacks stacks = stacks_whole(f);
	struct shown shown = {
		.number = xcalloc(f->nr, sizeof(*shown.number)),
		.list = xcalloc(f->nr, sizeof(*shown.list)),
	};
	char *title = *m->only ? xasprintf("%s, only %s", m->command, m->only) :
				xstrdup(m->command);
	const struct frame *frame;
	uint32_t i;

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"profil " PROFIL_VERSION "\",\"name\":", out);
	json_string(out, title);
	fputs(",\"activeProfileIndex\":0,\n\"profiles\":[{\"type\":\"sampled\",\"name\":",
	      out);
	json_string(out, title);
	fprintf(out, ",\"unit\":\"none\",\"startValue\":0,\"endValue\":%" PRIu64
		",\n", model_samples(m));
	print_samples(f, &stacks, &shown, out);
	fputs("\"shared\":{\"frames\":[", out);
	for (i = 0; i < shown.nr; i++) {
		frame = &f->list[shown.list[i]];
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		json_string(out, frame->name);
		if (*frame->object) {
			fputs(",\"file\":", out);
			json_string(out, frame->object);
		}
		fputc('}', out);
	}
	fputs("]}}\n", out);
	free(title);
	free(shown.number);
	free(shown.list);
	stacks_free(&stacks);
	frames_free(f);
}
