// SPDX-License-Identifier: MIT
/* profil: which functions of any program use the CPU, and what called them. */
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "head.h"
#include "util.h"

#define OWN_MAP_MIN	(1 << 20)	/* bytes that are given back when freed */

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
	{ "run", cmd_run, "run a program and record where its time goes" },
	{ "attach", cmd_attach, "record processes that run already" },
	{ "top", cmd_top, "where running processes spend their time now" },
	{ "annotate", cmd_annotate, "a function's source and instructions" },
	{ "check", cmd_check, "what works here, and what to do where it does not" },
	{ "diff", cmd_diff, "what changed between two profiles, and what is noise" },
	{ "export", cmd_export, "the profile in the format of another program" },
	{ "html", cmd_html, "a picture for a browser" },
	{ "push", cmd_push, "send a profile to a store of profiles" },
	{ "report", cmd_report, "where the time went, as a table" },
};

static void print_usage(FILE *out)
{
	size_t i;

	fputs("usage: profil COMMAND [OPTION...]\n\n", out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-9s %s\n", commands[i].name,
			commands[i].what);
	fputs("\nprofil COMMAND --help lists the options of a command; man profil has all.\n",
	      out);
}

/*
 * A message must not go to a file that got the number of a closed stream.  What is
 * opened in its place is everywhere, and can be neither read nor written.
 */
static void fill_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH | O_CLOEXEC) != fd)
			return;
}

int main(int argc, char **argv)
{
	char program[] = "profil";
	int status;
	size_t i;

	fill_streams();
	setlocale(LC_CTYPE, "");
	/* Else the C library keeps what one large object took. */
	mallopt(M_MMAP_THRESHOLD, OWN_MAP_MIN);
	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		print_usage(stdout);
		output_done(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("profil " PROFIL_VERSION);
		output_done(stdout);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		/* getopt() begins its messages so. */
		argv[1] = program;
		status = commands[i].run(argc - 1, argv + 1);
		/* Its --help, too. */
		if (!status)
			output_done(stdout);
		return status;
	}
	if (!access(argv[1], X_OK))
		die(STATUS_USAGE, "there is no command %s: did you mean profil run %s",
		    argv[1], argv[1]);
	die(STATUS_USAGE, "there is no command %s: profil --help lists them",
	    argv[1]);
}
