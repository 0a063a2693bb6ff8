// SPDX-License-Identifier: MIT
/* Writing by way of a temporary file, so that a name always has a whole one. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "head.h"
#include "output.h"
#include "util.h"

static void die_unwritten(const char *path, int error)
{
	die(STATUS_USAGE, "can't write %s: %s; choose a place with -o", path,
	    strerror(error));
}

/* What die() leaves behind. */
static char *unfinished;

static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

static void remove_and_end(int number)
{
	remove_unfinished();
	raise(number);
}

/* The command starts no other program, which would inherit this. */
static void meet_signals(void)
{
	static const int ends[] = {
		SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM
	};
	struct sigaction action = { .sa_handler = remove_and_end,
				    .sa_flags = SA_RESETHAND };
	struct sigaction old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
	/* A limit is an error as others are. */
	signal(SIGXFSZ, SIG_IGN);
}

/* A signal comes before the file, or when it is known. */
static int make_temporary(char *path)
{
	sigset_t all, before;
	int fd, error;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	fd = mkstemp(path);
	error = errno;
	if (fd >= 0)
		unfinished = path;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

/* -o of a recording names the profile, which there may be no second of. */
static void keep_profile(const char *path)
{
	unsigned char magic[2] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	    magic[0] == 0x1f && magic[1] == 0x8b)
		die(STATUS_USAGE,
		    "%s is compressed, as profiles are, and is not replaced: choose another place with -o, or remove it",
		    path);
	if (fd >= 0)
		close(fd);
}

struct output output_begin(const char *path, bool is_profile)
{
	struct output output = { .file = stdout, .path = path };
	int fd;

	if (!strcmp(path, "-"))
		return output;
	fd = open_special(path);
	if (fd >= 0) {
		output.file = fdopen(fd, "w");
		if (!output.file)
			die_unwritten(path, errno);
		return output;
	}
	if (errno)
		die_unwritten(path, errno);
	if (!is_profile)
		keep_profile(path);
	meet_signals();
	output.temporary = xasprintf("%s.XXXXXX", path);
	fd = make_temporary(output.temporary);
	if (fd < 0)
		die_unwritten(path, errno);
	atexit(remove_unfinished);
	output.file = fdopen(fd, "w");
	if (!output.file)
		die(STATUS_USAGE, "out of memory");
	return output;
}

bool output_end(struct output *output)
{
	bool is_new = output->temporary;
	int ret;

	if (output->file == stdout) {
		output_done(stdout);
		return false;
	}
	ret = output_error(output->file);
	if ((fclose(output->file) && !ret) ||
	    (!ret && is_new && rename(output->temporary, output->path)))
		ret = errno;
	if (ret)
		die_unwritten(output->path, ret);
	unfinished = NULL;
	free(output->temporary);
	return is_new;
}
