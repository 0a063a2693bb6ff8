// SPDX-License-Identifier: GPL-2.0-only
/*
 * The effect of sampling on a program that waits: while a thread computes,
 * main() sleeps, polls and reads from a pipe.  It runs twice; the second time
 * the thread blocks all signals, as the threads of many pools do.
 *
 *	waiter SAMPLER TICKS
 *
 * Prints the samples and the signals that the first run got from the kernel,
 * and the system calls that ended with EINTR in the second.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"

static const struct sampler *sampler;
static const struct timespec pause_of_ticks = { .tv_nsec = 3 * TICK + TICK / 3 };
static uint64_t ticks;
static int pipes[2];
static volatile bool done;

struct result {
	uint64_t samples, signals, interrupted;
};

static void *worker(void *arg)
{
	uint64_t end = now() + ticks * TICK;
	sigset_t all;

	sigfillset(&all);
	if (*(bool *)arg)
		pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (sampler->thread)
		sampler->thread();
	while (now() < end)
		work(NR_FUNCTIONS - 1);
	done = true;
	return arg;
}

static void *feeder(void *arg)
{
	if (sampler->thread)
		sampler->thread();
	do
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause_of_ticks, NULL);
	while (write(pipes[1], "", 1) == 1 && !done);
	close(pipes[1]);
	return arg;
}

/* Counts an event of the kernel's, in all threads that are yet to come. */
static int open_signals(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.inherit = 1,
	};
	FILE *file = fopen("/sys/kernel/tracing/events/signal/signal_deliver/id",
			   "r");
	unsigned long id;
	int fd;

	if (!file || fscanf(file, "%lu", &id) != 1)
		die("signal_deliver");
	fclose(file);
	attr.config = id;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static void run(struct result *result, bool block)
{
	struct counts before, after;
	pthread_t threads[2];
	char byte;
	int fd;

	fd = open_signals();
	if (pipe(pipes))
		die("pipe");
	sampler->start();
	sampler->read(&before);
	if (pthread_create(&threads[0], NULL, worker, &block) ||
	    pthread_create(&threads[1], NULL, feeder, NULL))
		die("pthread_create");
	while (!done) {
		struct pollfd nothing = { .fd = -1 };

		if (poll(&nothing, 1, 13) < 0)
			result->interrupted += errno == EINTR;
		if (nanosleep(&pause_of_ticks, NULL))
			result->interrupted += errno == EINTR;
		if (read(pipes[0], &byte, 1) < 0)
			result->interrupted += errno == EINTR;
	}
	sampler->read(&after);
	result->samples = counts_sum(&after) - counts_sum(&before);
	if (read(fd, &result->signals, sizeof(result->signals)) < 0)
		die("signals");
}

/* In a process of its own. */
static struct result *run_alone(bool block)
{
	struct result *result = mmap(NULL, sizeof(*result),
				     PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (result == MAP_FAILED || pid < 0)
		die("fork");
	if (!pid) {
		run(result, block);
		exit(0);
	}
	waitpid(pid, NULL, 0);
	return result;
}

int main(int argc, char **argv)
{
	const struct result *result;

	if (argc != 3) {
		fputs("usage: waiter SAMPLER TICKS\n", stderr);
		return 2;
	}
	sampler = sampler_find(argv[1]);
	ticks = strtoul(argv[2], NULL, 0);
	result = run_alone(false);
	printf("%lu %lu %lu\n", result->samples, result->signals,
	       run_alone(true)->interrupted);
	return 0;
}
