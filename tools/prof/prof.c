// SPDX-License-Identifier: MIT
/* prof: what monitor() or the -pg run-time counted, a line for each function. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "prof.h"

static void print_usage(FILE *out)
{
	fputs("usage: prof [-alnrsVz] [-m FILE]... [PROGRAM [FILE...]]\n"
	      "\n"
	      "Reports where PROGRAM (a.out) spent its time, by FILE: a mon.out,\n"
	      "a gmon.out, or what the kernel wrote; of several FILEs the sum.\n"
	      "Without FILE: the newer of mon.out and gmon.out, which are here\n"
	      "or else beside PROGRAM.\n"
	      "\n"
	      "  -a         local labels are symbols too\n"
	      "  -l         sort by address\n"
	      "  -m FILE    another FILE\n"
	      "  -n         sort by number of calls\n"
	      "  -r         names raw, as the linker has them\n"
	      "  -s         write the sum to mon.sum\n"
	      "  -z         symbols without time and calls too\n"
	      "  --help     this text\n"
	      "  -V, --version\n"
	      "             the version\n", out);
}

static void print_head(const struct profile *profile, const char **files,
		       size_t nr)
{
	double samples = profile_samples(profile);

	if (nr == 1)
		text_print(stdout, files[0]);
	else
		printf("%zu files", nr);
	if (profile->hz)
		printf(": %.0f samples, %u a second: %.2f seconds\n\n", samples,
		       profile->hz, samples / profile->hz);
	else
		puts(": calls, no samples\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 }
	};
	const char *program = "a.out";
	struct profile profile = { 0 };
	const char **files = NULL;
	enum order order = BY_TIME;
	bool all = false, raw = false, sum = false, zeros = false;
	bool complete = true;
	struct symbols symbols;
	size_t nr = 0, i;
	int opt;

	while ((opt = getopt_long(argc, argv, "alm:nrsVz", options,
				  NULL)) != -1) {
		switch (opt) {
		case 'a':
			all = true;
			break;
		case 'l':
			order = BY_ADDRESS;
			break;
		case 'm':
			files = more(files, nr, sizeof(*files));
			files[nr++] = optarg;
			break;
		case 'n':
			order = BY_CALLS;
			break;
		case 'r':
			raw = true;
			break;
		case 's':
			sum = true;
			break;
		case 'z':
			zeros = true;
			break;
		case 'h':
			print_usage(stdout);
			return 0;
		case 'V':
			puts("prof (libprofil) " PROFIL_VERSION);
			return 0;
		default:
			print_usage(stderr);
			return 1;
		}
	}
	if (optind < argc)
		program = argv[optind++];
	for (; optind < argc; optind++) {
		files = more(files, nr, sizeof(*files));
		files[nr++] = argv[optind];
	}
	symbols = symbols_read(program, all);
	if (!nr) {
		files = more(files, nr, sizeof(*files));
		files[nr++] = input_find(program);
	}
	profile.word = symbols.word;
	for (i = 0; i < nr; i++)
		profile_read(&profile, files[i]);
	assign(&symbols, &profile, program);
	print_head(&profile, files, nr);
	/* Without a histogram there are calls alone. */
	table_print(&symbols, profile.hz ? profile.hz : 1, order, zeros, raw);
	if (sum)
		complete = sum_write(&profile, &symbols, "mon.sum");
	if (fflush(stdout) != 0 || ferror(stdout))
		die("the report could not be written");
	return complete ? 0 : 1;
}
