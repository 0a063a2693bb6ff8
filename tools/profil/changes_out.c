// SPDX-License-Identifier: MIT
/* What changed, as a table, as CSV and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "changes_out.h"
#include "rows_out.h"
#include "util.h"

#define GREY	"\033[90m"
#define RED	"\033[1;31m"
#define BLUE	"\033[1;34m"

static const char *const side_names[NR_SIDES] = { "base", "new" };

static double in_points(const struct change *change)
{
	return 100 * (change->share[NEW] - change->share[BASE]);
}

static void print_side(FILE *out, const struct side *side, const char *name)
{
	uint64_t cpu_ns = 0, not_seen = 0;
	bool all_known = true;
	char *begin;
	size_t i;

	for (i = 0; i < side->nr_runs; i++) {
		cpu_ns += side->runs[i].cpu_ns;
		all_known &= side->runs[i].cpu_ns > 0;
		not_seen += side->runs[i].not_seen;
	}
	fprintf(out, "%-5s %zu run%s, %" PRIu64 " samples", name,
		side->nr_runs, side->nr_runs > 1 ? "s" : "", side->samples);
	if (side->rates_differ)
		fputs(" at several rates", out);
	else if (side->rate)
		fprintf(out, ", %" PRIu64 " a second of CPU time", side->rate);
	if (not_seen)
		fprintf(out, ", %" PRIu64 " not seen", not_seen);
	if (all_known)
		fprintf(out, "; %.2f s on a CPU%s", cpu_ns / 1e9 / side->nr_runs,
			side->nr_runs > 1 ? " each" : "");
	begin = xasprintf("%.100s", *side->command ? side->command :
						     "(not in the file)");
	fputs(": ", out);
	text_print(out, begin);
	free(begin);
	if (side->nr_commands)
		fprintf(out, ", and %zu of other commands", side->nr_commands);
	fputc('\n', out);
}

static bool is_one_part(const struct changes *c)
{
	return !strcmp(c->sides[BASE].only, c->sides[NEW].only);
}

static void print_only(FILE *out, const struct changes *c)
{
	const bool both = is_one_part(c);
	enum version which;

	for (which = BASE; which < (both ? NEW : NR_SIDES); which++) {
		if (!*c->sides[which].only)
			continue;
		fprintf(out, "of %s only ", both ? "both sides" : side_names[which]);
		text_print(out, c->sides[which].only);
		fputc('\n', out);
	}
}

char *changes_head(const struct changes *c)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(STATUS_USAGE, "out of memory");
	print_side(out, &c->sides[BASE], "base:");
	print_side(out, &c->sides[NEW], "new:");
	print_only(out, c);
	fputs(c->between_runs ?
	      "errors: one sigma of the mean, by the variance between runs\n" :
	      "errors: one sigma of the samples alone; with several runs of each, those between runs\n",
	      out);
	fprintf(out, "%zu of %zu compared %s changed by more than %g points, p below %g\n",
		c->nr_changed, c->nr_compared,
		c->nr_changed == 1 ? "has" : "have", 100 * c->threshold,
		SIGNIFICANCE);
	if (c->nr_unsure)
		fprintf(out, "%zu more differ%s by more than %g points, which may be chance: longer or more runs tell\n",
			c->nr_unsure, c->nr_unsure == 1 ? "s" : "",
			100 * c->threshold);
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return text;
}

static void print_p(const struct change *change)
{
	if (!change->compared)
		printf("%8s", "-");
	else if (change->p < 0.0001)
		printf("%8s", "<0.0001");
	else
		printf("%8.4f", change->p);
}

static void print_change(const struct change *change, unsigned int width,
			 size_t column, const struct terminal *terminal)
{
	const char *color = "";
	size_t used = 60 + column;

	if (terminal->color)
		color = !change->changed ? GREY : in_points(change) > 0 ? RED :
								       BLUE;
	printf("%s%c %5.1f %% %6.2f  %5.1f %% %6.2f  %+6.1f ", color,
	       change->changed ? '*' : ' ', 100 * change->share[BASE],
	       100 * change->error[BASE], 100 * change->share[NEW],
	       100 * change->error[NEW], in_points(change));
	print_p(change);
	fputs("  ", stdout);
	printf("%*s", (int)(column - text_print(stdout, change->object)), "");
	fputs("  ", stdout);
	print_name(stdout, change->name, !width ? 0 : width > used + 8 ?
		   width - used : 8);
	puts(*color ? "\033[0m" : "");
}

void changes_table(const struct changes *c, size_t limit,
		   const struct terminal *terminal)
{
	size_t i, length, column = strlen("object");
	char *head = changes_head(c), *safe;

	fputs(head, stdout);
	free(head);
	for (i = 0; i < limit; i++) {
		safe = text_safe(c->list[i].object);
		length = strlen(safe);
		if (length > column)
			column = length;
		free(safe);
	}
	printf("\n%9s %6s  %7s %6s  %6s %8s  %-*s  %s\n", "base", "error",
	       "new", "error", "change", "p", (int)column, "object", "name");
	for (i = 0; i < limit; i++)
		print_change(&c->list[i], terminal->width, column, terminal);
	if (limit < c->nr)
		printf("%zu more rows are shown by -n 0\n", c->nr - limit);
}

void changes_csv(const struct changes *c, size_t limit)
{
	const struct change *change;
	size_t i;

	puts("changed,base_percent,base_error,new_percent,new_error,change,p,name,object");
	for (i = 0; i < limit; i++) {
		change = &c->list[i];
		printf("%d,%.4f,%.4f,%.4f,%.4f,%.4f,", change->changed,
		       100 * change->share[BASE], 100 * change->error[BASE],
		       100 * change->share[NEW], 100 * change->error[NEW],
		       in_points(change));
		if (change->compared)
			printf("%.6g", change->p);
		putchar(',');
		csv_field(change->name);
		putchar(',');
		csv_field(change->object);
		putchar('\n');
	}
}

/* @both: the one part of both sides was told. */
static void json_runs(const struct side *side, bool both)
{
	size_t i;

	putchar('{');
	if (!both)
		json_only(side->only);
	printf("\"command\":");
	json_string(stdout, side->command);
	printf(",\"samples\":%" PRIu64 ",\"runs\":[", side->samples);
	for (i = 0; i < side->nr_runs; i++) {
		printf("%s{\"samples\":%" PRIu64 ",\"cpu_ns\":",
		       i ? "," : "", side->runs[i].samples);
		if (side->runs[i].cpu_ns)
			printf("%" PRIu64 "}", side->runs[i].cpu_ns);
		else
			printf("null}");
	}
	puts("]},");
}

void changes_json(const struct changes *c, size_t limit)
{
	const struct change *change;
	enum version which;
	size_t i;

	putchar('{');
	if (is_one_part(c))
		json_only(c->sides[BASE].only);
	for (which = BASE; which < NR_SIDES; which++) {
		printf("\"%s\":", side_names[which]);
		json_runs(&c->sides[which], is_one_part(c));
	}
	printf("\"threshold\":%g,\"significance\":%g,\"compared\":%zu,\"changed\":%zu,\"rows\":[",
	       100 * c->threshold, SIGNIFICANCE, c->nr_compared, c->nr_changed);
	for (i = 0; i < limit; i++) {
		change = &c->list[i];
		printf("%s\n{\"changed\":%s,\"base\":%.4f,\"base_error\":%.4f,\"new\":%.4f,\"new_error\":%.4f,\"change\":%.4f,\"p\":",
		       i ? "," : "", change->changed ? "true" : "false",
		       100 * change->share[BASE], 100 * change->error[BASE],
		       100 * change->share[NEW], 100 * change->error[NEW],
		       in_points(change));
		if (change->compared)
			printf("%.6g", change->p);
		else
			printf("null");
		printf(",\"name\":");
		json_string(stdout, change->name);
		printf(",\"object\":");
		json_string(stdout, change->object);
		putchar('}');
	}
	puts("\n]}");
}
