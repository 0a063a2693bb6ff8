// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's walk against elfutils: steps PROGRAM ARG... runs a program from
 * its first int3 to its second, instruction by instruction, and walks its stack
 * at each by both.  Prints how many steps there were, and how paths ended.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steps.h"

#define STEPS_MAX	200000

pid_t steps_child;
struct maps steps_maps;

/* False if the program has ended. */
static bool resume(enum __ptrace_request how, int *number)
{
	int status;

	if (*number == SIGTRAP)
		*number = 0;
	if (ptrace(how, steps_child, 0, *number) ||
	    waitpid(steps_child, &status, 0) != steps_child ||
	    !WIFSTOPPED(status))
		return false;
	*number = WSTOPSIG(status);
	return true;
}

static unsigned long run(Dwfl *dwfl, const struct maps_check *check,
			 const struct view *view)
{
	struct user_regs_struct regs;
	unsigned long steps = 0;
	int number = 0;
	u64 word;

	while (steps < STEPS_MAX && resume(PTRACE_SINGLESTEP, &number)) {
		if (ptrace(PTRACE_GETREGS, steps_child, 0, &regs))
			break;
		if (steps_read(&word, regs.rip) && (u8)word == 0xcc)
			break;
		if (!maps_find(&steps_maps, regs.rip))
			maps_read(&steps_maps, view, check);
		steps_compare(dwfl, &regs);
		if (steps++ % 10 == 0)
			steps_judge(&regs);
	}
	return steps;
}

int main(int argc, char **argv)
{
	static const struct maps_check no_check = { .path = "" };
	struct view view = { .root = -1, .mem = -1 };
	unsigned long steps;
	char path[64];
	int number = 0;
	bool compared;
	Dwfl *dwfl;

	if (argc < 2)
		return 2;
	steps_child = fork();
	if (!steps_child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(steps_child, NULL, 0);
	if (!resume(PTRACE_CONT, &number) || number != SIGTRAP)
		return 1;
	snprintf(path, sizeof(path), "/proc/%d/mem", steps_child);
	view.mem = open(path, O_RDONLY);
	view.pid = steps_child;
	maps_read(&steps_maps, &view, &no_check);
	dwfl = steps_open();
	steps = run(dwfl, &no_check, &view);
	kill(steps_child, SIGKILL);
	compared = steps_compared(steps);
	return !steps_judged() || !compared || !steps;
}
