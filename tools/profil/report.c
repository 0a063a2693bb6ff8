// SPDX-License-Identifier: MIT
/* profil report: where the time went, as a table. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls_out.h"
#include "commands.h"
#include "debug.h"
#include "edges_out.h"
#include "head.h"
#include "lines.h"
#include "merge.h"
#include "path.h"
#include "pprof.h"
#include "rows.h"
#include "rows_out.h"
#include "util.h"

static const char usage[] =
	"usage: profil report [-i FILE]... [--by WHAT | --tree | --callers FUNCTION |\n"
	"                     --callees FUNCTION] [--csv | --json] [-n ROWS]\n"
	"\n"
	"Prints where the time went that profil run recorded.\n"
	"\n"
	"  -i FILE        the profile (" PPROF_DEFAULT "); several are summed\n"
	"  --by WHAT      function, line, instruction, object, process, cgroup,\n"
	"                 thread or thread-name\n"
	"  --tree         which function called which, and with how much of the time\n"
	"  --callers [OBJECT:]FUNCTION   which functions called it\n"
	"  --callees [OBJECT:]FUNCTION   which functions it called\n"
	"  --limit PERCENT  --tree folds what has less (1); 0 for all\n"
	"  --number N     which FUNCTION, where a list has shown several\n"
	"  -n ROWS        at most so many rows (30); 0 for all\n"
	"  --sort WHAT    self or total: which is highest in the first row (self)\n"
	"  --csv, --json  for programs: all rows, unless -n is given\n"
	ONLY_USAGE
	"  --debug-dir DIR  look there first for files of another machine\n"
	"  --no-lines     do not read DWARF for lines and inlined functions\n"
	"  --color=WHEN   auto, always or never\n"
	"  --help         this text\n";

static enum by by_option(const char *value)
{
	unsigned int by;

	for (by = 0; by < NR_BY; by++)
		if (!strcmp(value, by_names[by]))
			return by;
	die(STATUS_USAGE,
	    "--by is function, line, instruction, object, process, cgroup, thread or thread-name, not %s",
	    value);
}

static double percent_option(const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	if (!*value || *end || !(percent >= 0 && percent <= 100))
		die(STATUS_USAGE, "--limit is 0 to 100 percent, not %s", value);
	return percent;
}

static bool sort_option(const char *value)
{
	if (!strcmp(value, "total"))
		return true;
	if (!strcmp(value, "self"))
		return false;
	die(STATUS_USAGE, "--sort is self or total, not %s", value);
}

/* What is asked for. */
struct question {
	enum { BY_ROWS, TREE, CALLERS, CALLEES } kind;
	enum { TABLE, CSV, JSON } format;
	struct inputs inputs;
	const char *function;
	size_t number;		/* of the functions of that name, or 0 */
	double percent;		/* folded below */
	bool limited;		/* --limit was given */
	bool sorted;		/* --sort was given */
	bool total_first;
};

/* Refuses an option that the chosen view would ignore. */
static void check_question(const struct question *q, const struct report *report)
{
	if (q->kind != BY_ROWS && report->by != BY_FUNCTION)
		die(STATUS_USAGE,
		    "--tree, --callers and --callees are by function");
	if (report->by >= BY_OBJECT && debug_searched())
		die(STATUS_USAGE, "--debug-dir: --by %s looks no names up",
		    by_names[report->by]);
	if (q->limited && q->kind != TREE)
		die(STATUS_USAGE, "--limit folds branches of --tree; -n limits rows");
	if (report->limit != SIZE_MAX && q->kind == TREE)
		die(STATUS_USAGE, "-n limits rows; --limit folds branches of --tree");
	if (q->sorted && q->kind != BY_ROWS)
		die(STATUS_USAGE,
		    "--sort is of rows; --tree, --callers and --callees have an order of their own");
	if (q->number && q->kind != CALLERS && q->kind != CALLEES)
		die(STATUS_USAGE,
		    "--number chooses a function of --callers or --callees; -n limits rows");
}

static void add_question(struct question *q, unsigned int kind,
			 const char *function)
{
	if (q->kind != BY_ROWS)
		die(STATUS_USAGE,
		    "--tree, --callers and --callees are one at a time");
	q->kind = kind;
	q->function = function;
}

static void set_format(struct question *q, unsigned int format)
{
	if (q->format != TABLE && q->format != format)
		die(STATUS_USAGE, "--csv and --json are one at a time");
	q->format = format;
}

static void limit_rows(struct report *report, const struct question *q)
{
	if (report->limit == SIZE_MAX)
		report->limit = q->format == TABLE ? 30 : 0;
	if (!report->limit || report->limit > report->rows.nr)
		report->limit = report->rows.nr;
}

static void report_rows(struct report *report, const struct question *q)
{
	report->rows = rows_make(report->m, report->by);
	if (q->total_first)
		rows_sort(&report->rows, true);
	report->heads[0] = "self";
	report->heads[1] = "total";
	report->of[0] = report->rows.samples;
	report->of[1] = report->rows.samples;
	report->what = by_names[report->by];
	limit_rows(report, q);
	if (q->format == CSV)
		report_csv(report);
	else if (q->format == JSON)
		report_json(report);
	else
		report_table(report);
}

/* More would take too much memory, whatever --limit says. */
#define MAX_NODES	4000000

static void report_tree(struct report *report, const struct question *q)
{
	struct frames *f = frames_new(report->m);
	struct stacks stacks = stacks_make(f, VIEW_CALLS);
	uint64_t samples = model_samples(report->m);
	struct calls calls;

	calls = calls_make(f, &stacks, q->percent / 100 * samples + 0.999999,
			   MAX_NODES);
	stacks_free(&stacks);
	report->heads[0] = "total";
	report->heads[1] = "self";
	report->of[0] = samples;
	report->of[1] = samples;
	if (q->format == CSV)
		calls_csv(report, f, &calls);
	else if (q->format == JSON)
		calls_json(report, f, &calls);
	else
		calls_table(report, f, &calls, q->percent);
	calls_free(&calls);
	frames_free(f);
}

static void print_candidates(const struct frames *f, const char *name,
			     const struct candidate_frame *list, size_t nr)
{
	const struct frame *frame;
	size_t i;

	fflush(stdout);
	text_print(stderr, name);
	fputs(" may be one of these; choose with --number, or as OBJECT:FUNCTION:\n",
	      stderr);
	for (i = 0; i < nr; i++) {
		frame = &f->list[list[i].function];
		fprintf(stderr, "%3zu  ", i + 1);
		text_print(stderr, base_name(frame->object));
		fputc(':', stderr);
		text_print(stderr, frame->name);
		fprintf(stderr, "  (%" PRIu64 " sample%s)\n", list[i].total,
			list[i].total == 1 ? "" : "s");
	}
}

static void print_edges(struct report *report, const struct question *q,
			struct frames *f, uint32_t function)
{
	struct edges edges = edges_make(f, function, q->kind == CALLERS);
	uint64_t samples = model_samples(report->m);

	report->about = xasprintf("%s%s%s: %.1f %% of all samples%s%s, %.1f %% in itself",
				  edges.function->name,
				  *edges.function->object ? " in " : "",
				  edges.function->object,
				  100 * share_of(edges.total, samples),
				  *report->m->only ? " of " : "", report->m->only,
				  100 * share_of(edges.self, samples));
	report->rows = edges.rows;
	report->rows.samples = samples;
	report->heads[0] = "of it";
	report->heads[1] = "of all";
	report->of[0] = edges.total;
	report->of[1] = samples;
	report->what = q->kind == CALLERS ? "caller" : "callee";
	limit_rows(report, q);
	if (q->format == CSV)
		edges_csv(report);
	else if (q->format == JSON)
		edges_json(report, &edges);
	else
		report_table(report);
	free(report->about);
}

static int report_edges(struct report *report, struct question *q)
{
	struct frames *f = frames_new(report->m);
	struct candidate_frame *list;
	int ret = STATUS_NOT_FOUND;
	size_t nr;

	list = edges_find(f, q->function, &nr);
	if (!nr)
		warn("%s has no samples in a function %s; profil report lists those that it has",
		     inputs_name(&q->inputs), q->function);
	else if (q->number > nr)
		warn("there is no function %s of number %zu: the highest is %zu",
		     q->function, q->number, nr);
	else if (nr > 1 && !q->number)
		print_candidates(f, q->function, list, nr);
	else
		ret = 0;
	if (!ret)
		print_edges(report, q, f,
			    list[q->number ? q->number - 1 : 0].function);
	free(list);
	frames_free(f);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	enum { BY = 256, SORT, LIMIT, NUMBER, TO_CSV, TO_JSON, NO_LINES, COLOR, DEBUG_DIR,
	       TO_TREE, TO_CALLERS, TO_CALLEES };
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "by", required_argument, NULL, BY },
		{ "tree", no_argument, NULL, TO_TREE },
		{ "callers", required_argument, NULL, TO_CALLERS },
		{ "callees", required_argument, NULL, TO_CALLEES },
		{ "limit", required_argument, NULL, LIMIT },
		{ "number", required_argument, NULL, NUMBER },
		{ "sort", required_argument, NULL, SORT },
		{ "csv", no_argument, NULL, TO_CSV },
		{ "json", no_argument, NULL, TO_JSON },
		{ "no-lines", no_argument, NULL, NO_LINES },
		{ "debug-dir", required_argument, NULL, DEBUG_DIR },
		{ "color", required_argument, NULL, COLOR },
		ONLY_OPTION_OF("process", ONLY_PROCESS),
		ONLY_OPTION_OF("thread", ONLY_THREAD),
		ONLY_OPTION_OF("cgroup", ONLY_CGROUP),
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct question q = { .percent = 1 };
	struct report report = { .limit = SIZE_MAX };
	enum color color = COLOR_AUTO;
	bool dwarf = true;
	int opt, ret = 0;

	while ((opt = getopt_long(argc, argv, "i:n:h", options, NULL)) != -1) {
		if (only_option(&q.inputs.only, opt, optarg))
			continue;
		switch (opt) {
		case 'i':
			inputs_add(&q.inputs, optarg);
			break;
		case 'n':
			report.limit = number_option("-n", optarg);
			break;
		case BY:
			report.by = by_option(optarg);
			break;
		case TO_TREE:
			add_question(&q, TREE, NULL);
			break;
		case TO_CALLERS:
			add_question(&q, CALLERS, optarg);
			break;
		case TO_CALLEES:
			add_question(&q, CALLEES, optarg);
			break;
		case LIMIT:
			q.percent = percent_option(optarg);
			q.limited = true;
			break;
		case NUMBER:
			q.number = number_option("--number", optarg);
			if (!q.number)
				die(STATUS_USAGE, "--number counts from 1");
			break;
		case SORT:
			q.total_first = sort_option(optarg);
			q.sorted = true;
			break;
		case TO_CSV:
			set_format(&q, CSV);
			break;
		case TO_JSON:
			set_format(&q, JSON);
			break;
		case NO_LINES:
			dwarf = false;
			break;
		case DEBUG_DIR:
			debug_search(optarg);
			break;
		case COLOR:
			color = color_option(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return STATUS_USAGE;
		}
	}
	if (optind < argc)
		die(STATUS_USAGE,
		    "report takes no argument %s: name the profile with -i",
		    argv[optind]);
	check_question(&q, &report);
	report.m = inputs_read(&q.inputs, &report.written);
	if (q.kind != BY_ROWS && model_samples(report.m) &&
	    !model_has_paths(report.m))
		die(STATUS_NOT_FOUND,
		    "%s has no call paths: profil check says whether profil run can record them here",
		    inputs_name(&q.inputs));
	report.looked = dwarf && report.by < BY_OBJECT;
	if (report.looked)
		lines_resolve(report.m, false);
	report.terminal = terminal_of(stdout, color);
	if (q.kind == BY_ROWS)
		report_rows(&report, &q);
	else if (q.kind == TREE)
		report_tree(&report, &q);
	else
		ret = report_edges(&report, &q);
	output_done(stdout);
	rows_free(&report.rows);
	model_free(report.m);
	inputs_free(&q.inputs);
	return ret;
}
