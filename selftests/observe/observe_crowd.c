// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of 10,000 threads takes a followed process as long as another.  The
 * clock of the guest counts instructions, so that the times can be compared.
 */
#include <sys/resource.h>

#include "machine_test.h"
#include "observe_test.h"

#define THREADS	10000
#define NO_ROOM	(-2)	/* for so many threads */

static void *wait_for_end(void *unused)
{
	pause();
	return NULL;
}

/* System time, in ms, of a process with many threads that end at once. */
static long end_together(struct observer *o, bool join)
{
	struct rusage usage = { 0 };
	pthread_attr_t attr;
	pthread_t thread;
	int i, status;
	pid_t pid = fork();

	if (!pid) {
		if (join && observe_join(o->fd, 0, 0, 0))
			_exit(1);
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 16 << 10);
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&thread, &attr, wait_for_end, NULL))
				_exit(2);
		_exit(0);
	}
	if (wait4(pid, &status, 0, &usage) != pid || status)
		return status == 2 << 8 ? NO_ROOM : -1;
	return usage.ru_stime.tv_sec * 1000 + usage.ru_stime.tv_usec / 1000;
}

TEST(many_threads_end_as_fast_followed)
{
	static struct observer o;
	long ms[3];
	int i;

	NEED_FINE_TIMERS();
	/* A guest with little memory allows fewer. */
	ASSERT_EQ(0, write_file("/proc/sys/kernel/threads-max", "20000"));
	ASSERT_EQ(0, observe_open(&o, 1, 0));
	for (i = 0; i < 3; i++) {
		ms[i] = end_together(&o, i == 1);
		if (ms[i] == NO_ROOM)
			SKIP(return, "no memory for %d threads", THREADS);
		ASSERT_LE(0, ms[i]);
	}
	TH_LOG("%ld ms, %ld ms followed, %ld ms", ms[0], ms[1], ms[2]);
	EXPECT_LT(ms[1], 1.1 * (ms[0] > ms[2] ? ms[0] : ms[2]));
	observe_close(&o);
}

TEST_HARNESS_MAIN
