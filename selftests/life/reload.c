// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads and unloads the module in a loop, while its last users end.  After each
 * cycle the module's ledger says whether anything stayed.
 *
 * RELOADS=N is how often.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "dump_test.h"
#include "machine_test.h"

#define USERS	6
#define TRIES	6000	/* tries to unload, 10 ms each */

FIXTURE(reload) {
	struct dump_area area;
	int cycles;
	int module;
};

static int load(int module)
{
	return syscall(SYS_finit_module, module, "ledger=1", 0) ? errno : 0;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "profil", O_NONBLOCK) ? errno : 0;
}

FIXTURE_SETUP(reload)
{
	const char *file = getenv("PROFIL_KO");
	int tries;

	if (!file)
		SKIP(_exit(255), "no PROFIL_KO, a module to load");
	self->module = open(file, O_RDONLY);
	ASSERT_LE(0, self->module);
	self->cycles = number("RELOADS", 8);
	self->area = area_make();
	/* What ran before may have work left. */
	for (tries = 0; tries < 6000 && unload(); tries++)
		usleep(10000);
	ASSERT_GT(6000, tries);
}

FIXTURE_TEARDOWN(reload)
{
	load(self->module);
	close(self->module);
	area_remove(&self->area);
}

static void *short_thread(void *arg)
{
	struct profil_region region = all_region(arg, 8);

	set_flags(&region, 1, PROFIL_F_THREAD);
	hot_b(100000);
	return NULL;
}

/* Profiles of every kind, and children; the process is killed at any point. */
static void use(struct dump_area *area)
{
	char *buffer = map_buffer(2 * PAGE);
	pthread_t thread;

	setpgid(0, 0);
	if (area_set(area))
		_exit(1);
	area_complete(area);
	for (;;) {
		if (!fork()) {
			hot_a(1000000);
			_exit(0);
		}
		set_region(all_region(buffer, 4));
		if (!pthread_create(&thread, NULL, short_thread,
				    buffer + PAGE))
			pthread_join(thread, NULL);
		munmap(buffer, PAGE);
		mmap(buffer, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		     MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

TEST_F_TIMEOUT(reload, module_goes_as_soon_as_its_users, 1000000)
{
	int i, n, err, tries;
	pid_t pids[USERS];

	for (i = 0; i < self->cycles; i++) {
		ASSERT_EQ(0, load(self->module));
		for (n = 0; n < USERS; n++) {
			pids[n] = fork();
			ASSERT_LE(0, pids[n]);
			if (!pids[n])
				use(&self->area);
			setpgid(pids[n], pids[n]);
		}
		usleep(i % 7 * 15000);
		for (n = 0; n < USERS; n++)
			kill(-pids[n], SIGKILL);
		err = EAGAIN;
		for (tries = 0; err && tries < TRIES; tries++) {
			err = unload();
			if (err)
				usleep(tries < 100 ? 500 : 10000);
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
		}
		ASSERT_EQ(0, err);
		while (waitpid(-1, NULL, 0) > 0)
			;
		EXPECT_NE(0, access(PROFIL_DEVICE, F_OK));
	}
}

TEST_HARNESS_MAIN
