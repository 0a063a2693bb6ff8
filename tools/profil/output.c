// SPDX-License-Identifier: MIT
/* Writing by way of a temporary file, so that a name always has a whole one. */
#include <errno.h>
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

struct output output_begin(const char *path)
{
	struct output output = { .file = stdout, .path = path };
	int fd;

	if (!strcmp(path, "-"))
		return output;
	fd = open_special(path);
	if (fd >= 0) {
		output.file = fdopen(fd, "w");
		if (!output.file)
			die(STATUS_USAGE, "out of memory");
		return output;
	}
	if (errno)
		die_unwritten(path, errno);
	output.temporary = xasprintf("%s.XXXXXX", path);
	fd = mkstemp(output.temporary);
	if (fd < 0)
		die_unwritten(path, errno);
	unfinished = output.temporary;
	atexit(remove_unfinished);
	output.file = fdopen(fd, "w");
	if (!output.file)
		die(STATUS_USAGE, "out of memory");
	return output;
}

bool output_end(struct output *output)
{
	bool is_new = output->temporary;
	int ret = 0;

	if (output->file == stdout) {
		output_done(stdout);
		return false;
	}
	errno = 0;
	if (ferror(output->file) | fclose(output->file) ||
	    (is_new && rename(output->temporary, output->path)))
		ret = errno ? errno : EIO;
	if (ret)
		die_unwritten(output->path, ret);
	unfinished = NULL;
	free(output->temporary);
	return is_new;
}
