// SPDX-License-Identifier: MIT
/* Exporting call paths one by one: folded stacks, and speedscope's format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "pprof.h"
#include "rows_out.h"
#include "util.h"

struct folded {
	char *text;
	uint64_t count;
};

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

static char *fold_stack(const struct frames *f, const struct stack *stack)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(STATUS_USAGE, "out of memory");
	for (i = 0; i < stack->nr; i++) {
		if (i)
			fputc(';', out);
		put_name(out, f->list[stack->ids[i]].name);
	}
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return text;
}

static int by_text(const void *a, const void *b)
{
	const struct folded *x = a, *y = b;

	return strcmp(x->text, y->text);
}

void export_folded(struct model *m, FILE *out)
{
	struct frames *f = frames_new(m);
	struct stacks stacks = stacks_whole(f);
	struct folded *list = xcalloc(stacks.nr + 1, sizeof(*list));
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < stacks.nr; i++) {
		list[i].text = fold_stack(f, &stacks.list[i]);
		list[i].count = stacks.list[i].count;
	}
	qsort(list, stacks.nr, sizeof(*list), by_text);
	for (i = 0; i < stacks.nr; i++) {
		count += list[i].count;
		if (i + 1 == stacks.nr || strcmp(list[i].text, list[i + 1].text) != 0) {
			fprintf(out, "%s %" PRIu64 "\n", list[i].text, count);
			count = 0;
		}
	}
	for (i = 0; i < stacks.nr; i++)
		free(list[i].text);
	free(list);
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
