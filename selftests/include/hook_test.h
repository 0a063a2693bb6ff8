/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of the hooks: whether they are in, and how to stop a task while it
 * puts them in.
 */
#ifndef PROFIL_HOOK_TEST_H
#define PROFIL_HOOK_TEST_H

#include <signal.h>

#include "machine_test.h"

#define FUNCTIONS	"/sys/kernel/tracing/enabled_functions"

static inline bool armed(void)
{
	FILE *f = fopen(FUNCTIONS, "r");
	char line[500];
	bool found = false;

	if (!f) {
		ksft_print_msg("%s: %s\n", FUNCTIONS, strerror(errno));
		exit(KSFT_FAIL);
	}
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "update_process_times"))
			found = true;
	fclose(f);
	return found;
}

/* A work item takes them out. */
static inline bool armed_after_a_while(void)
{
	int i;

	for (i = 0; i < 1000 && armed(); i++)
		usleep(10000);
	return armed();
}

/* A real-time loop: nothing else runs on the CPU until it is killed. */
static inline pid_t fork_hog(int cpu)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	run_alone_on(cpu);
	for (;;)
		hot_a(1000000);
}

static inline void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The task may be there for milliseconds only, so poll without a pause. */
static inline bool comes_into(pid_t pid, const char *function)
{
	time_t end = now() + 3;

	while (now() < end)
		if (is_in(pid, function))
			return true;
	return false;
}

#endif /* PROFIL_HOOK_TEST_H */
