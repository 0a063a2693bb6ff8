// SPDX-License-Identifier: MIT
/* profil export: the profile in the format of another program. */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands.h"
#include "debug.h"
#include "export.h"
#include "lines.h"
#include "merge.h"
#include "output.h"
#include "pprof.h"
#include "util.h"

static const char usage[] =
	"usage: profil export FORMAT [-i FILE]... [-o OUT]\n"
	"\n"
	"Writes the profile for another program.\n"
	"\n"
	"  --folded       a line for each call path: flamegraph.pl and others\n"
	"  --callgrind    callgrind_annotate and kcachegrind\n"
	"  --speedscope   speedscope\n"
	"  --gmon OBJECT  gprof and prof: the samples in one object\n"
	"  --pprof        pprof without names, for a store that looks them up by\n"
	"                 build id\n"
	"  --pprof-names  pprof with names: the sum of several files\n"
	"  -i FILE        the profile (" PPROF_DEFAULT "); several are summed\n"
	"  -o OUT         the file to write; standard output without it\n"
	ONLY_USAGE
	"  --debug-dir DIR  look there first for files of another machine\n"
	"  --no-lines     do not read DWARF for lines and inlined functions\n"
	"  --help         this text\n";

enum format {
	NO_FORMAT = 256, FOLDED, CALLGRIND, SPEEDSCOPE, GMON, PPROF, PPROF_NAMES
};

static void write_format(enum format format, struct model *m,
			 const char *object, FILE *out)
{
	if (format == FOLDED)
		export_folded(m, out);
	else if (format == CALLGRIND)
		export_callgrind(m, out);
	else if (format == SPEEDSCOPE)
		export_speedscope(m, out);
	else if (format == GMON)
		export_gmon(m, object, out);
	else
		export_pprof(m, format == PPROF_NAMES, out);
}

int cmd_export(int argc, char **argv)
{
	static const struct option options[] = {
		{ "folded", no_argument, NULL, FOLDED },
		{ "callgrind", no_argument, NULL, CALLGRIND },
		{ "speedscope", no_argument, NULL, SPEEDSCOPE },
		{ "gmon", required_argument, NULL, GMON },
		{ "pprof", no_argument, NULL, PPROF },
		{ "pprof-names", no_argument, NULL, PPROF_NAMES },
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "no-lines", no_argument, NULL, 'l' },
		{ "debug-dir", required_argument, NULL, 'd' },
		ONLY_OPTION_OF("process", ONLY_PROCESS),
		ONLY_OPTION_OF("thread", ONLY_THREAD),
		ONLY_OPTION_OF("cgroup", ONLY_CGROUP),
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *object = NULL, *path = "-";
	enum format format = NO_FORMAT;
	struct inputs inputs = { 0 };
	struct output output;
	bool dwarf = true;
	struct model *m;
	time_t written;
	int opt;

	while ((opt = getopt_long(argc, argv, "i:o:h", options, NULL)) != -1) {
		if (only_option(&inputs.only, opt, optarg))
			continue;
		switch (opt) {
		case 'i':
			inputs_add(&inputs, optarg);
			break;
		case 'o':
			path = optarg;
			break;
		case 'd':
			debug_search(optarg);
			break;
		case 'l':
			dwarf = false;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			if (opt <= NO_FORMAT) {
				fputs(usage, stderr);
				return STATUS_USAGE;
			}
			if (format != NO_FORMAT)
				die(STATUS_USAGE, "export writes one format at a time");
			format = opt;
			if (opt == GMON)
				object = optarg;
		}
	}
	if (optind < argc)
		die(STATUS_USAGE,
		    "export takes no argument %s: name the profile with -i, the file with -o",
		    argv[optind]);
	if (format == NO_FORMAT)
		die(STATUS_USAGE,
		    "export in which format? --folded, --callgrind, --speedscope, --gmon OBJECT, --pprof or --pprof-names");
	if (!dwarf && (format == GMON || format == PPROF))
		die(STATUS_USAGE, "--no-lines: this format has no lines anyway");
	if (format == PPROF && debug_searched())
		die(STATUS_USAGE, "--debug-dir: --pprof looks no names up; --pprof-names does");
	if (format >= GMON && path[0] == '-' && !path[1] &&
	    isatty(STDOUT_FILENO))
		die(STATUS_USAGE, "this format is not for a terminal: choose a file with -o");
	m = inputs_read(&inputs, &written);
	if (dwarf && format != GMON && format != PPROF)
		lines_resolve(m, false);
	output = output_begin(path, format == PPROF || format == PPROF_NAMES);
	write_format(format, m, object, output.file);
	output_end(&output);
	if (*m->only && (format == FOLDED || format == GMON))
		warn("only %s is in it, and this format can't say so", m->only);
	inputs_free(&inputs);
	model_free(m);
	return 0;
}
