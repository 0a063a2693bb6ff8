// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile by monstartup(), and the end that the argument names.  The program
 * stands in for rename(), and says "written" for each file of the library's.
 *
 * startup_end exit		return from main()
 * startup_end pause		the same after moncontrol(0)
 * startup_end write		the same after _mcleanup()
 * startup_end resume		the same after _mcleanup(), a call that does not
 *				count, and moncontrol(1)
 * startup_end fork		a child that ends by exit(), and main() returns
 * startup_end gcrt1		linked with -pg: no monstartup() of its own
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <profil.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char __executable_start, etext;

static void counted(void)
{
	__asm__ volatile ("");
}

int rename(const char *from, const char *to)
{
	static const char line[] = "written\n";

	if (write(STDOUT_FILENO, line, sizeof(line) - 1) < 0)
		_exit(3);
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int fork_child(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		counted();
		exit(0);
	}
	return waitpid(pid, &status, 0) != pid || status != 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int ret = 0;

	if (strcmp(how, "gcrt1"))
		monstartup(&__executable_start, &etext);
	counted();
	if (!strcmp(how, "pause"))
		moncontrol(0);
	if (!strcmp(how, "write") || !strcmp(how, "resume"))
		_mcleanup();
	if (!strcmp(how, "resume")) {
		counted();
		moncontrol(1);
	}
	if (!strcmp(how, "fork"))
		ret = fork_child();
	counted();
	return ret;
}
