// SPDX-License-Identifier: MIT
/* profil report: where the time went, as a table. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "head.h"
#include "lines.h"
#include "pprof.h"
#include "rows.h"
#include "rows_out.h"
#include "util.h"

static const char usage[] =
	"usage: profil report [-i FILE] [--by WHAT] [--csv | --json] [-n ROWS]\n"
	"\n"
	"Prints where the time went that profil run recorded.\n"
	"\n"
	"  -i FILE        the profile (" PPROF_DEFAULT ")\n"
	"  --by WHAT      function, line, instruction, object, process or thread\n"
	"  -n ROWS        at most so many rows (30); 0 for all\n"
	"  --csv, --json  for programs: all rows, unless -n is given\n"
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
	    "--by is function, line, instruction, object, process or thread, not %s",
	    value);
}

static size_t number_option(const char *value)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);

	if (!*value || *end || *value == '-')
		die(STATUS_USAGE, "-n is a number of rows, not %s", value);
	return number;
}

int cmd_report(int argc, char **argv)
{
	enum { BY = 256, CSV, JSON, NO_LINES, COLOR };
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "by", required_argument, NULL, BY },
		{ "csv", no_argument, NULL, CSV },
		{ "json", no_argument, NULL, JSON },
		{ "no-lines", no_argument, NULL, NO_LINES },
		{ "color", required_argument, NULL, COLOR },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct report report = { .limit = SIZE_MAX };
	const char *file = PPROF_DEFAULT;
	enum color color = COLOR_AUTO;
	bool dwarf = true;
	int opt, format = 0;
	struct model *m;

	while ((opt = getopt_long(argc, argv, "i:n:h", options, NULL)) != -1) {
		switch (opt) {
		case 'i':
			file = optarg;
			break;
		case 'n':
			report.limit = number_option(optarg);
			break;
		case BY:
			report.by = by_option(optarg);
			break;
		case CSV:
		case JSON:
			format = opt;
			break;
		case NO_LINES:
			dwarf = false;
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
	m = pprof_read(file, &report.written);
	if (dwarf && report.by < BY_OBJECT)
		lines_resolve(m, false);
	report.m = m;
	report.rows = rows_make(m, report.by);
	report.terminal = terminal_of(stdout, color);
	if (report.limit == SIZE_MAX)
		report.limit = format ? 0 : 30;
	if (!report.limit || report.limit > report.rows.nr)
		report.limit = report.rows.nr;
	if (format == CSV)
		report_csv(&report);
	else if (format == JSON)
		report_json(&report);
	else
		report_table(&report);
	output_done(stdout);
	rows_free(&report.rows);
	model_free(m);
	return 0;
}
