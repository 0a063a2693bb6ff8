// SPDX-License-Identifier: MIT
/* profil html: one file with a picture of the profile, for any browser. */
#include <getopt.h>
#include <stdlib.h>

#include "commands.h"
#include "debug.h"
#include "head.h"
#include "heat.h"
#include "lines.h"
#include "merge.h"
#include "output.h"
#include "page.h"
#include "pprof.h"
#include "tree.h"
#include "util.h"

#define OUT_DEFAULT	"profil.html"

static const char usage[] =
	"usage: profil html [-i FILE]... [-o OUT]\n"
	"\n"
	"Writes a picture of the profile: one HTML file, which needs no network.\n"
	"\n"
	"  -i FILE        the profile (" PPROF_DEFAULT "); several are summed\n"
	"  -o OUT         the file to write (" OUT_DEFAULT "); - for standard output\n"
	ONLY_USAGE
	"  --debug-dir DIR  look there first for files of another machine\n"
	"  --no-lines     do not read DWARF for lines and inlined functions\n"
	"  --help         this text\n";

static void put_page(FILE *out, struct model *m, time_t written, bool sources)
{
	char *head = head_text(m, written, false), *title = text_safe(m->command);
	struct page page = { .title = title, .head = head };

	page_begin(&page);
	fputs("{\"tree\":", page.memory);
	tree_json(m, NULL, page.memory);
	fputs(",\"sources\":", page.memory);
	if (sources)
		heat_json(m, m->time_ns > 0 ? m->time_ns / 1000000000 : written,
			  page.memory);
	else
		fputs("[]", page.memory);
	fputc('}', page.memory);
	page_print(&page, out);
	free(title);
	free(head);
}

int cmd_html(int argc, char **argv)
{
	static const struct option options[] = {
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
	struct inputs inputs = { 0 };
	const char *path = OUT_DEFAULT;
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
			fputs(usage, stderr);
			return STATUS_USAGE;
		}
	}
	if (optind < argc)
		die(STATUS_USAGE,
		    "html takes no argument %s: name the profile with -i, the picture with -o",
		    argv[optind]);
	m = inputs_read(&inputs, &written);
	if (dwarf)
		lines_resolve(m, false);
	output = output_begin(path, false);
	put_page(output.file, m, written, dwarf);
	if (output_end(&output))
		puts(path);
	output_done(stdout);
	inputs_free(&inputs);
	model_free(m);
	return 0;
}
