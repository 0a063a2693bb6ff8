// SPDX-License-Identifier: MIT
/*
 * The call tree as text, as CSV and as JSON.
 *
 * As text, a function that is the only one below another stands right below
 * it, in the same column; only where a path branches the column moves.  So a
 * path of sixty functions fits on a terminal.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls_out.h"
#include "util.h"

#define NUMBERS	19	/* columns before the tree */

/* A node that is still to be printed. */
struct pending_line {
	uint32_t node;
	const char *marker;	/* "", "|-" or "`-" */
	char *before;		/* what the branches above it print, allocated */
};

struct printer {
	const struct report *report;
	const struct frames *f;
	const struct calls *calls;
	struct pending_line *pile;
	size_t nr;
};

/* What is folded is a line only where it is not small itself. */
static bool is_shown(const struct calls *calls, uint32_t node)
{
	return !calls->list[node].nr_folded ||
	       calls->list[node].total >= calls->least;
}

/* The only node below another that is shown, or 0; *nr is how many are. */
static uint32_t only_below(const struct calls *calls, uint32_t node, size_t *nr)
{
	uint32_t at, first = 0;

	*nr = 0;
	for (at = node + 1; at < calls->list[node].end;
	     at = calls->list[at].end) {
		if (!is_shown(calls, at))
			continue;
		if (!(*nr)++)
			first = at;
	}
	return *nr == 1 ? first : 0;
}

static char *node_text(const struct printer *p, uint32_t node, uint64_t times,
		       const char *object_above)
{
	const struct call *call = &p->calls->list[node];
	const struct frame *frame = &p->f->list[call->frame];
	bool has_object = *frame->object && frame->object != object_above;
	char again[32] = "";
	bool has_brackets;

	if (frame->kind == FRAME_SMALL)
		return xasprintf("[%u more below the limit]", call->nr_folded);
	if (times > 1)
		snprintf(again, sizeof(again), " x %" PRIu64, times);
	/* Of what is no file the name has brackets already. */
	has_brackets = has_object && *frame->object != '[';
	return xasprintf("%s%s%s%s%s%s%s", frame->name,
			 frame->kind == FRAME_INLINED ? " (inlined)" : "",
			 again, has_object ? "  " : "",
			 has_brackets ? "[" : "",
			 has_object ? base_name(frame->object) : "",
			 has_brackets ? "]" : "");
}

static void print_node(const struct printer *p, const struct pending_line *line,
		       uint64_t self, uint64_t times, const char *object_above)
{
	const struct terminal *terminal = &p->report->terminal;
	const struct call *call = &p->calls->list[line->node];
	double part = share_of(self, p->report->of[0]);
	char *text = node_text(p, line->node, times, object_above);
	size_t length = strlen(line->before), most, used;
	const char *before = line->before;

	printf("%6.1f %% ", 100 * share_of(call->total, p->report->of[1]));
	if (call->nr_folded)
		printf("%8s  ", "");
	else
		printf("%s%6.1f %%%s  ", heat_begin(terminal, part), 100 * part,
		       heat_end(terminal, part));
	/* Of deep branches the innermost are what one wants to see. */
	most = terminal->width ? (terminal->width - NUMBERS) / 2 : SIZE_MAX;
	if (length > most) {
		before += length - most + 2;
		fputs("..", stdout);
	}
	used = NUMBERS + (length > most ? most : length) + strlen(line->marker);
	fputs(before, stdout);
	fputs(line->marker, stdout);
	print_name(stdout, text, !terminal->width ? 0 :
		   terminal->width > used + 8 ? terminal->width - used : 8);
	putchar('\n');
	free(text);
}

static void push_node(struct printer *p, uint32_t node, const char *marker,
		      char *before)
{
	p->pile = xgrow(p->pile, p->nr, sizeof(*p->pile));
	p->pile[p->nr++] = (struct pending_line){ node, marker, before };
}

/* The nodes below one, the first to be printed next. */
static void push_below(struct printer *p, uint32_t node, const char *before,
		       bool top)
{
	size_t first = p->nr, i, nr;
	struct pending_line swap;
	uint32_t at, only = only_below(p->calls, node, &nr);

	for (at = node + 1; at < p->calls->list[node].end;
	     at = p->calls->list[at].end)
		if (is_shown(p->calls, at))
			push_node(p, at, only || top ? "" : "|-",
				  xstrdup(before));
	if (p->nr - first > 1 && !top)
		p->pile[p->nr - 1].marker = "`-";
	for (i = 0; i < (p->nr - first) / 2; i++) {
		swap = p->pile[first + i];
		p->pile[first + i] = p->pile[p->nr - 1 - i];
		p->pile[p->nr - 1 - i] = swap;
	}
}

/* Prints the next node of the pile, with those that call themselves. */
static void print_next(struct printer *p, const char **objects)
{
	struct pending_line line = p->pile[--p->nr];
	const struct call *call = &p->calls->list[line.node];
	uint32_t last = line.node, only;
	uint64_t times = 1, self = call->self;
	size_t nr;
	char *before;

	while ((only = only_below(p->calls, last, &nr)) &&
	       p->calls->list[only].frame == call->frame) {
		last = only;
		self += p->calls->list[last].self;
		times++;
	}
	print_node(p, &line, self, times, objects[call->depth - 1]);
	for (only = call->depth; only <= p->calls->list[last].depth; only++)
		objects[only] = p->f->list[call->frame].object;
	before = xasprintf("%s%s", line.before, *line.marker == '|' ? "| " :
			   *line.marker ? "  " : "");
	push_below(p, last, before, false);
	free(before);
	free(line.before);
}

/* Allocated; NULL where no more is folded than was asked for. */
static char *large_text(const struct calls *calls)
{
	if (calls->least <= calls->asked)
		return NULL;
	return xasprintf("what has fewer than %" PRIu64 " samples is folded, because the tree has more than %u lines",
			 calls->least, calls->max);
}

void calls_table(const struct report *report, const struct frames *f,
		 const struct calls *calls, double percent)
{
	struct printer p = { .report = report, .f = f, .calls = calls };
	const char *objects[STACK_DEPTH + 2] = { "" };
	char *large = large_text(calls);
	uint64_t folded = 0;
	uint32_t i = 0;

	report_head(report);
	printf("\n%8s %8s  function\n", report->heads[0], report->heads[1]);
	push_below(&p, 0, "", true);
	while (p.nr) {
		/* Else the next one seems to be below the one before. */
		if (calls->list[p.pile[p.nr - 1].node].depth == 1 && i++)
			putchar('\n');
		print_next(&p, objects);
	}
	free(p.pile);
	for (i = 0; i < calls->nr; i++)
		folded += calls->list[i].nr_folded;
	if (large)
		puts(large);
	else if (folded)
		printf("%" PRIu64 " branches below %g %% are folded: --limit 0 shows all\n",
		       folded, percent);
	free(large);
}

void calls_csv(const struct report *report, const struct frames *f,
	       const struct calls *calls)
{
	char *large = large_text(calls);
	const struct frame *frame;
	const struct call *call;
	uint32_t i;

	if (large)
		warn("%s", large);
	free(large);
	puts("depth,self,total,self_percent,total_percent,name,object,inlined");
	for (i = 1; i < calls->nr; i++) {
		call = &calls->list[i];
		frame = &f->list[call->frame];
		printf("%u,%" PRIu64 ",%" PRIu64 ",%.3f,%.3f,", call->depth,
		       call->self, call->total,
		       100 * share_of(call->self, report->of[0]),
		       100 * share_of(call->total, report->of[1]));
		csv_field(frame->name);
		putchar(',');
		csv_field(frame->object);
		printf(",%d\n", frame->kind == FRAME_INLINED);
	}
}

void calls_json(const struct report *report, const struct frames *f,
		const struct calls *calls)
{
	const struct frame *frame;
	const struct call *call;
	uint32_t i;

	json_begin(report->m);
	printf("\"samples\":%" PRIu64 ",\"least\":%" PRIu64 ",\"tree\":[",
	       report->of[1], calls->least);
	for (i = 1; i < calls->nr; i++) {
		call = &calls->list[i];
		frame = &f->list[call->frame];
		printf("%s\n{\"depth\":%u,\"self\":%" PRIu64 ",\"total\":%"
		       PRIu64 ",\"name\":", i > 1 ? "," : "", call->depth,
		       call->self, call->total);
		json_string(stdout, frame->name);
		printf(",\"object\":");
		json_string(stdout, frame->object);
		printf(",\"inlined\":%s}",
		       frame->kind == FRAME_INLINED ? "true" : "false");
	}
	puts("\n]}");
}
