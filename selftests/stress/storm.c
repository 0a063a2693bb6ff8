// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything at once: threads of several processes set, stop, ask, remap and
 * fork at random, and die.  The books must balance whenever they are read,
 * nothing may stay behind, and the runner looks for splats.
 *
 * The random numbers are the same on every run; the interleaving is not.
 */
#include <sched.h>
#include <signal.h>

#include "machine_test.h"

#define PROCESSES	4
#define THREADS		4
#define STEPS		400
#define PAGES		8

static char *buffer;

static uint32_t random32(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void random_set(uint32_t *seed, uint32_t flags)
{
	struct profil_region regions[4];
	uint32_t i, nr = 1 + random32(seed) % 4;

	for (i = 0; i < nr; i++) {
		uint32_t width = 2 << random32(seed) % 3;
		uint32_t page = random32(seed) % PAGES;

		regions[i] = hot_region(buffer + page * PAGE, width);
		regions[i].size = width + random32(seed) % (2 * PAGE);
		if (random32(seed) % 4 == 0)
			regions[i] = all_region(buffer + page * PAGE, width);
	}
	set_flags(regions, nr, flags);
}

static void remap(uint32_t *seed)
{
	char *page = buffer + random32(seed) % PAGES * PAGE;

	switch (random32(seed) % 6) {
	case 0:
		madvise(page, PAGE, MADV_DONTNEED);
		break;
	case 1:
		mprotect(page, PAGE, PROT_READ);
		break;
	case 2:
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
		break;
	case 3:
		munmap(page, PAGE);
		break;
	default:
		mmap(page, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
}

static void child(uint32_t *seed)
{
	static char *const argv[] = { "/bin/true", NULL };
	pid_t pid = fork();

	if (!pid) {
		switch (random32(seed) % 4) {
		case 0:
			_exit(0);
		case 1:
			execv(argv[0], argv);
			_exit(1);
		case 2:
			hot_a(1000000);
			_exit(0);
		default:
			kill(getpid(), SIGKILL);
		}
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void *thread(void *arg)
{
	uint32_t seed = (uintptr_t)arg;
	struct profil_status status;
	int i;

	for (i = 0; i < STEPS; i++) {
		uint32_t flags = random32(&seed) % 3 ? 0 : PROFIL_F_THREAD;

		switch (random32(&seed) % 8) {
		case 0:
		case 1:
			random_set(&seed, flags);
			break;
		case 2:
		case 3:
			status = ask(random32(&seed) % 4 ? PROFIL_IOC_QUERY :
							   PROFIL_IOC_STOP,
				     flags, NULL, 0);
			if (!balanced(&status.books))
				return "unbalanced";
			break;
		case 4:
			remap(&seed);
			break;
		case 5:
			child(&seed);
			break;
		default:
			hot_b(random32(&seed) % 300000);
		}
	}
	return NULL;
}

TEST(nothing_is_unbalanced_and_nothing_stays)
{
	pid_t pids[PROCESSES];
	int i, n, status;

	buffer = map_buffer((PAGES + 2) * PAGE);
	for (i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i]) {
			pthread_t threads[THREADS];
			void *failed;

			for (n = 0; n < THREADS; n++)
				if (pthread_create(&threads[n], NULL, thread,
						   (void *)(uintptr_t)
						   (1 + i * 100 + n)))
					_exit(2);
			for (n = 0; n < THREADS; n++) {
				pthread_join(threads[n], &failed);
				if (failed)
					_exit(1);
			}
			_exit(0);
		}
	}
	for (i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	for (i = 0; i < 6000 && listed(); i++)
		usleep(10000);
	EXPECT_EQ(0, listed());
}

TEST_HARNESS_MAIN
