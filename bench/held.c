// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel memory of a followed process, which its observer pays for.
 *
 *	held join|fork PROCESSES
 *
 * With join each process joins the observer by itself, and then has its own
 * record of the program, as after an exec.  With fork they are born followed.
 * Prints bytes a process.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "group.h"
#include "observer.h"

static struct observer observer;
static int go[2], done[2];

static void wait_for(int nr)
{
	char byte;

	while (nr--)
		if (read(done[0], &byte, 1) != 1)
			die("pipe");
}

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		die("pipe");
}

static void child(int joins)
{
	char byte;

	tell(done[1]);
	if (read(go[0], &byte, 1) != 1)
		die("pipe");
	if (joins)
		observer_join(&observer);
	tell(done[1]);
	for (;;)
		pause();
}

static void start(pid_t *pids, int nr, int join)
{
	int i;

	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (!pids[i])
			child(join);
	}
	wait_for(nr);
}

static void let_go(int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		tell(go[1]);
	wait_for(nr);
}

static void end(const pid_t *pids, int nr)
{
	while (nr--)
		kill(pids[nr], SIGKILL);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	long before, after;
	pid_t *pids;
	int nr, join;

	if (argc != 3) {
		fputs("usage: held join|fork PROCESSES\n", stderr);
		return 2;
	}
	join = !strcmp(argv[1], "join");
	nr = atoi(argv[2]);
	pids = calloc(nr, sizeof(*pids));
	enter_group();
	if (!pids || pipe(go) || pipe(done))
		die("pipe");
	observer_open(&observer, 1, 1);
	/* The first processes have caches filled. */
	start(pids, nr, 0);
	let_go(nr);
	end(pids, nr);
	if (!join) {
		start(pids, nr, 0);
		let_go(nr);
		sleep(2);
		before = kernel_bytes();
		end(pids, nr);
		observer_join(&observer);
	}
	start(pids, nr, join);
	if (join) {
		sleep(2);
		before = kernel_bytes();
	}
	let_go(nr);
	sleep(2);
	after = kernel_bytes();
	printf("%ld\n", (after - before) / nr);
	end(pids, nr);
	return 0;
}
