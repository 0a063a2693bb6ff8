// SPDX-License-Identifier: MIT
/* profil diff: what changed between two sides, each of one run or several. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "changes_out.h"
#include "commands.h"
#include "debug.h"
#include "lines.h"
#include "merge.h"
#include "output.h"
#include "page.h"
#include "pprof.h"
#include "tree.h"
#include "util.h"

#define OUT_DEFAULT	"profil-diff.html"

static const char usage[] =
	"usage: profil diff --base FILE... --new FILE... [OPTION...]\n"
	"\n"
	"Compares the shares of functions.  Exits with 0 if none has changed, with 1\n"
	"if one has, and with 2 after a fault.\n"
	"\n"
	"  --base FILE... the profiles before\n"
	"  --new FILE...  the profiles after; with several runs of each, errors are\n"
	"                 those between runs\n"
	"  --threshold POINTS  how many percent points are a change (2)\n"
	"  --total        compare with what was called, not the function itself\n"
	"  --by WHAT      function or object\n"
	"  -n ROWS        at most so many rows (30); 0 for all\n"
	"  --csv, --json  for programs: all rows, unless -n is given\n"
	"  --html         a picture of both: flame graphs, red grew and blue shrank\n"
	"  -o OUT         the picture (" OUT_DEFAULT "); - for standard output\n"
	ONLY_USAGE
	"  --debug-dir DIR  look there first for files of another machine\n"
	"  --lines        inlined functions apart: the files of both sides must be here\n"
	"  --color=WHEN   auto, always or never; what is noise is grey\n"
	"  --help         this text\n";

struct wanted {
	struct inputs inputs[NR_SIDES];
	enum { TABLE, CSV, JSON, HTML } format;
	const char *path;	/* of the picture, or NULL */
	struct model *both;	/* for it */
	enum by by;
	struct only only;
	bool total, dwarf;
	bool searched;		/* files of another machine */
	size_t limit;
	double threshold;
	enum color color;
};

static double number_of(const char *option, const char *value, double most)
{
	char *end;
	double number = strtod(value, &end);

	if (!*value || *end || !(number >= 0 && number <= most))
		die(STATUS_USAGE, "%s is a number from 0 to %g, not %s", option,
		    most, value);
	return number;
}

/* A file may have lines of its own, with inlined functions. */
static void drop_inlined(struct model *m)
{
	const struct location *loc;
	uint32_t i;

	for (i = 1; i <= m->nr_locations; i++) {
		loc = &m->locations[i];
		if (loc->nr_lines > 1)
			model_set_lines(m, i, &loc->lines[loc->nr_lines - 1], 1);
	}
}

static void read_side(struct changes *c, enum version which,
		      const struct wanted *w)
{
	const struct inputs *inputs = &w->inputs[which];
	struct model *m;
	time_t written;
	size_t i;

	for (i = 0; i < inputs->nr; i++) {
		m = pprof_read(inputs->list[i], &written);
		m = only_kept(m, &w->only, inputs->list[i], STATUS_USAGE);
		if (!model_samples(m))
			die(STATUS_USAGE, "%s has no samples%s%s to compare",
			    inputs->list[i], *m->only ? " of " : "", m->only);
		if (w->dwarf && w->by != BY_OBJECT)
			lines_resolve(m, false);
		else if (w->searched)
			lines_names(m);
		if (!w->dwarf)
			drop_inlined(m);
		changes_add(c, which, m, w->by, w->total);
		if (w->both)
			model_merge(w->both, m, which == BASE ? SIDE_BASE :
								SIDE_NEW);
		model_free(m);
	}
}

#define MUCH	0.01	/* of all samples, so that there are at most 100 */

static bool is_only_in(const struct change *change, enum version which)
{
	return change->share[which] > MUCH && !change->share[!which];
}

/* A function is the same only in a file of the same name, so old and new differ. */
static void say_renamed(const struct changes *c)
{
	const struct change *a, *b;

	for (a = c->list; a < c->list + c->nr; a++) {
		if (!is_only_in(a, BASE))
			continue;
		for (b = c->list; b < c->list + c->nr; b++) {
			if (!is_only_in(b, NEW) ||
			    strcmp(a->name, b->name) != 0)
				continue;
			warn("%s is in %s alone before, and in %s alone now: functions of files with different names are not compared; give both builds one name",
			     a->name, a->object, b->object);
			return;
		}
	}
}

static void put_picture(const struct changes *c, const struct wanted *w)
{
	char *head = changes_head(c), *command, *title;
	struct page page = { .head = head };
	struct output output;

	command = text_safe(c->sides[NEW].command);
	title = xasprintf("changes of %s", command);
	page.title = title;
	page_begin(&page);
	fputs("{\"tree\":", page.memory);
	tree_json(w->both, c, page.memory);
	fputs(",\"sources\":[]}", page.memory);
	output = output_begin(w->path ? w->path : OUT_DEFAULT, false);
	page_print(&page, output.file);
	if (output_end(&output))
		puts(output.path);
	free(command);
	free(title);
	free(head);
}

static void print_changes(const struct changes *c, const struct wanted *w)
{
	struct terminal terminal = terminal_of(stdout, w->color);
	size_t limit = w->limit;

	if (limit == SIZE_MAX)
		limit = w->format == TABLE ? 30 : 0;
	if (!limit || limit > c->nr)
		limit = c->nr;
	if (w->format == CSV)
		changes_csv(c, limit);
	else if (w->format == JSON)
		changes_json(c, limit);
	else if (w->format == HTML)
		put_picture(c, w);
	else
		changes_table(c, limit, &terminal);
}

static enum by by_of(const char *value)
{
	if (!strcmp(value, "function"))
		return BY_FUNCTION;
	if (!strcmp(value, "object"))
		return BY_OBJECT;
	die(STATUS_USAGE, "--by is function or object, not %s", value);
}

static void add_input(struct inputs *to, const char *path)
{
	if (!to)
		die(STATUS_USAGE, "is %s --base or --new?", path);
	inputs_add(to, path);
}

static void set_format(struct wanted *w, unsigned int format)
{
	if (w->format != TABLE && w->format != format)
		die(STATUS_USAGE, "--csv, --json and --html are one at a time");
	w->format = format;
}

int cmd_diff(int argc, char **argv)
{
	enum { TO_BASE = 256, TO_NEW, THRESHOLD, TOTAL, BY, TO_CSV, TO_JSON, TO_HTML,
	       DEBUG_DIR, LINES, COLOR };
	static const struct option options[] = {
		{ "base", no_argument, NULL, TO_BASE },
		{ "new", no_argument, NULL, TO_NEW },
		{ "threshold", required_argument, NULL, THRESHOLD },
		{ "total", no_argument, NULL, TOTAL },
		{ "by", required_argument, NULL, BY },
		{ "csv", no_argument, NULL, TO_CSV },
		{ "json", no_argument, NULL, TO_JSON },
		{ "html", no_argument, NULL, TO_HTML },
		{ "output", required_argument, NULL, 'o' },
		{ "debug-dir", required_argument, NULL, DEBUG_DIR },
		{ "lines", no_argument, NULL, LINES },
		{ "color", required_argument, NULL, COLOR },
		ONLY_OPTION_OF("process", ONLY_PROCESS),
		ONLY_OPTION_OF("thread", ONLY_THREAD),
		ONLY_OPTION_OF("cgroup", ONLY_CGROUP),
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct wanted w = { .limit = SIZE_MAX, .threshold = 0.02 };
	struct inputs *to = NULL;
	struct changes c = { 0 };
	int opt;

	/* For a build, 1 is that something changed and nothing else. */
	faults_exit(STATUS_USAGE);
	while ((opt = getopt_long(argc, argv, "-n:o:h", options, NULL)) != -1) {
		if (only_option(&w.only, opt, optarg))
			continue;
		switch (opt) {
		case TO_BASE:
			to = &w.inputs[BASE];
			break;
		case TO_NEW:
			to = &w.inputs[NEW];
			break;
		case 1:
			add_input(to, optarg);
			break;
		case THRESHOLD:
			w.threshold = number_of("--threshold", optarg, 100) /
				      100;
			break;
		case TOTAL:
			w.total = true;
			break;
		case BY:
			w.by = by_of(optarg);
			break;
		case 'n':
			w.limit = number_option("-n", optarg);
			break;
		case TO_CSV:
			set_format(&w, CSV);
			break;
		case TO_JSON:
			set_format(&w, JSON);
			break;
		case TO_HTML:
			set_format(&w, HTML);
			break;
		case 'o':
			w.path = optarg;
			break;
		case DEBUG_DIR:
			debug_search(optarg);
			w.searched = true;
			break;
		case LINES:
			w.dwarf = true;
			break;
		case COLOR:
			w.color = color_option(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return STATUS_USAGE;
		}
	}
	/* Behind "--". */
	while (optind < argc)
		add_input(to, argv[optind++]);
	if (!w.inputs[BASE].nr || !w.inputs[NEW].nr)
		die(STATUS_USAGE, "diff needs profiles of both sides: --base FILE... --new FILE...");
	if (w.path && w.format != HTML)
		die(STATUS_USAGE, "-o is for the picture: --html");
	if (w.limit != SIZE_MAX && w.format == HTML)
		die(STATUS_USAGE, "-n limits rows, and a picture has all");
	if (w.dwarf && w.by >= BY_OBJECT)
		die(STATUS_USAGE,
		    "--lines reads DWARF for functions, not for --by object");
	c.threshold = w.threshold;
	changes_begin(&c, w.inputs[BASE].nr, w.inputs[NEW].nr);
	if (w.format == HTML)
		w.both = model_new();
	read_side(&c, BASE, &w);
	read_side(&c, NEW, &w);
	changes_find(&c);
	say_renamed(&c);
	print_changes(&c, &w);
	output_done(stdout);
	opt = c.nr_changed > 0;
	changes_free(&c);
	model_free(w.both);
	inputs_free(&w.inputs[BASE]);
	inputs_free(&w.inputs[NEW]);
	return opt;
}
