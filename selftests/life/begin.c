// SPDX-License-Identifier: GPL-2.0-only
/*
 * A forked child's profile that could not begin yet: it is charged, but a
 * signal or a holder of mmap_lock kept the notifier from being registered.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "machine_test.h"

#define MAPPINGS	8000
#define LARGE		(16UL << 20)
#define ROUNDS		40
#define LONG		100	/* seconds, for all rounds to begin */

FIXTURE(begin) {
	char *buffer;
	char *other;
	char *many;
};

FIXTURE_SETUP(begin)
{
	int i;

	self->buffer = map_buffer(PAGE);
	self->other = map_buffer(PAGE);
	/* Refreshing each takes long enough for a signal to arrive. */
	self->many = mmap(NULL, MAPPINGS * PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < MAPPINGS; i += 2)
		ASSERT_EQ(0, mprotect(self->many + i * PAGE, PAGE, PROT_READ));
}

FIXTURE_TEARDOWN(begin)
{
	stop();
	munmap(self->buffer, PAGE);
	munmap(self->other, PAGE);
	munmap(self->many, MAPPINGS * PAGE);
}

static void nothing(int sig)
{
}

static void *keep_map_busy(void *unused)
{
	for (;;)
		munmap(mmap(NULL, LARGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0),
		       LARGE);
	return NULL;
}

TEST_F(begin, profile_not_begun_yet_is_replaced)
{
	struct itimerval soon = { .it_value.tv_usec = 200 };
	int i, tries;
	time_t end;

	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	end = now() + LONG;
	for (i = 0; i < ROUNDS && now() < end; i++) {
		EXPECT_CHILD({
			struct profil_status status;
			pthread_t thread;

			signal(SIGALRM, nothing);
			setitimer(ITIMER_REAL, &soon, NULL);
			query();
			pthread_create(&thread, NULL, keep_map_busy, NULL);
			for (tries = 0; tries < 3; tries++)
				if (set_region(all_region(self->other, 8)))
					_exit(1);
			status = stop();
			if (!balanced(&status.books))
				_exit(2);
		});
	}
}

TEST_HARNESS_MAIN
