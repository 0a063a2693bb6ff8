// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that ends while profil looks at its file hides it from no later one.
 * The file is known by what is mapped alone, as on overlayfs.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "object.h"

extern char __executable_start[];

static char self[4096];

/* With its memory open; ended if it is said to be. */
static struct view child(bool ended)
{
	struct view view = { .root = -1 };
	char name[64];

	view.pid = fork();
	if (!view.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	snprintf(name, sizeof(name), "/proc/%d/mem", view.pid);
	view.mem = open(name, O_RDONLY);
	if (view.mem < 0)
		exit(2);
	if (ended) {
		kill(view.pid, SIGKILL);
		waitpid(view.pid, NULL, 0);
	}
	return view;
}

static const struct object *look(const struct view *view)
{
	const uint64_t head = (uint64_t)__executable_start;
	const struct mapped file = {
		.dev = 1, .ino = 1, .path = self, .head = head,
		.start = head, .end = head + 4096,
	};

	return object_get(&file, view);
}

int main(void)
{
	struct view gone = child(true), there = child(false);
	const struct object *object;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 2;
	if (look(&gone)) {
		puts("the file of a process that has ended is taken for sure");
		return 1;
	}
	object = look(&there);
	if (!object || object->fd < 0 || !object->nr_segments) {
		puts("its file is not found for the next process");
		return 1;
	}
	return look(&gone) != object;
}
