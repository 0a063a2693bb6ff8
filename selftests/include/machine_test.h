/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests that change the machine, or that run for a time from the
 * environment.
 */
#ifndef PROFIL_MACHINE_TEST_H
#define PROFIL_MACHINE_TEST_H

#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

#include "profil_test.h"

static inline int write_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY);
	int ret = fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

/* Lines in the list of profiles, without its head; -1 if there is no list. */
static inline int listed(void)
{
	FILE *file = fopen("/sys/kernel/debug/profil/profiles", "r");
	char line[300];
	int lines = -1;

	while (file && fgets(line, sizeof(line), file))
		lines++;
	if (file)
		fclose(file);
	return lines;
}

/* Profiles that have pending samples, and no pages yet. */
static inline int listed_pending(void)
{
	FILE *file = fopen("/sys/kernel/debug/profil/profiles", "r");
	unsigned long pages, pending;
	char line[300];
	int n = 0;

	while (file && fgets(line, sizeof(line), file))
		n += sscanf(line, "%*s %*u %*u %lu %*u %*u %*u %*u %*u %lu",
			    &pages, &pending) == 2 && !pages && pending;
	if (file)
		fclose(file);
	return n;
}

/* Does the kernel check its own memory accesses, for which a sample is slow? */
static inline bool has_slow_kernel(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[300];
	bool slow = false;

	while (file && !slow && fgets(line, sizeof(line), file))
		slow = strstr(line, " kasan_report\n") ||
		       strstr(line, " kcsan_check_scoped_accesses\n");
	if (file)
		fclose(file);
	return slow;
}

/* References to the module: one for each profile and each descriptor. */
static inline long module_uses(void)
{
	FILE *file = fopen("/sys/module/profil/refcnt", "r");
	long uses = -1;

	if (file) {
		if (fscanf(file, "%ld", &uses) != 1)
			uses = -1;
		fclose(file);
	}
	return uses;
}

/* Without a system call.  This clock moves with the tick of one of the CPUs. */
static inline void run_ticks(int n)
{
	struct timespec now, before = { 0 };

	while (n) {
		hot_a(1000);
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
		n -= now.tv_nsec != before.tv_nsec;
		before = now;
	}
}

static inline void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		ksft_print_msg("cannot run on CPU %d\n", cpu);
		exit(KSFT_FAIL);
	}
}

/*
 * Only real-time tasks run there, but for the twentieth of the time that a kernel
 * leaves to others.  An RT kernel's threads for RCU have the same priority, and a
 * STOP waits for RCU: so they take turns.
 */
static inline int run_alone_on(int cpu)
{
	struct sched_param param = { .sched_priority = 1 };

	pin_to(cpu);
	return sched_setscheduler(0, SCHED_RR, &param);
}

static inline void run_beside_others(void)
{
	struct sched_param param = { 0 };

	sched_setscheduler(0, SCHED_OTHER, &param);
}

/* Interrupts by which another CPU had a function called on CPU 0 or 1. */
static inline long function_calls(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "r");
	static char line[1 << 16];
	long calls[2] = { -1, -1 };

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, "Function call interrupts"))
			sscanf(line, " %*[^:]: %ld %ld", &calls[0], &calls[1]);
	if (file)
		fclose(file);
	return calls[cpu];
}

/* So that CPU 1 is not idle, which a call might wake without an interrupt. */
static inline pid_t keep_cpu_1_busy(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin_to(1);
	for (;;)
		hot_b(1000000);
}

/* The kernel stack of a task, if it does not run at this moment. */
static inline const char *stack_of(const char *name)
{
	static char stack[1 << 14];
	int fd = open(name, O_RDONLY);
	ssize_t len = read(fd, stack, sizeof(stack) - 1);

	close(fd);
	stack[len > 0 ? len : 0] = 0;
	return stack;
}

static inline bool is_in(pid_t pid, const char *function)
{
	char name[40];

	snprintf(name, sizeof(name), "/proc/%d/stack", pid);
	return strstr(stack_of(name), function);
}

/* Number of work items that are in a function at this moment. */
static inline int workers_in(const char *function)
{
	glob_t names;
	size_t i;
	int n = 0;

	if (glob("/proc/[0-9]*/stack", 0, NULL, &names))
		return -1;
	for (i = 0; i < names.gl_pathc; i++) {
		const char *stack = stack_of(names.gl_pathv[i]);

		n += strstr(stack, "kthread") && strstr(stack, function);
	}
	globfree(&names);
	return n;
}

static inline time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

/* A number from the environment, or a default. */
static inline uint64_t number(const char *name, uint64_t value)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : value;
}

#endif /* PROFIL_MACHINE_TEST_H */
