// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading while processes use the module: it goes only when no
 * profile, descriptor or hook is left.
 */
#include <sys/syscall.h>

#include "profil_test.h"

#define ROUNDS	5
#define USERS	3

/* Sets, forks, asks and stops, or goes away in the middle. */
static void use(char *buffer, unsigned int i)
{
	struct profil_region region = all_region(buffer, 8);
	struct profil_set set = {
		.size = sizeof(set),
		.regions = addr(&region),
		.nr_regions = 1,
		.region_size = sizeof(region),
	};
	struct profil_status status = { .size = sizeof(status) };
	int fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	if (ioctl(fd, PROFIL_IOC_SET, &set))
		_exit(1);
	/* From here on the profile alone keeps the module. */
	close(fd);
	if (i % 3 == 1 && !fork()) {
		hot_a(1000000);
		_exit(0);
	}
	hot_a(1000000);
	if (i % 3 == 2)
		kill(getpid(), SIGKILL);
	fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (ioctl(fd, PROFIL_IOC_STOP, &status) ||
	    status.state != PROFIL_STATE_ON)
		_exit(2);
	close(fd);
	while (wait(NULL) > 0)
		;
}

static void use_for_ever(char *buffer)
{
	unsigned int i;
	int status;

	for (i = 0; ; i++) {
		pid_t pid = fork();

		if (!pid) {
			use(buffer, i);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (status && status != SIGKILL)
			_exit(1);
		/* Else the module would never be unused. */
		usleep(2000);
	}
}

static int load(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	int ret = syscall(SYS_finit_module, fd, "ledger=1", 0);

	close(fd);
	return ret;
}

static int unload(void)
{
	int tries;

	for (tries = 0; tries < 100000; tries++) {
		if (!syscall(SYS_delete_module, "profil", O_NONBLOCK))
			return 0;
		usleep(1000);
	}
	return -1;
}

TEST(module_goes_and_comes_while_used)
{
	const char *name = getenv("PROFIL_KO");
	char *buffer = map_buffer(PAGE);
	pid_t users[USERS];
	int i, status;

	if (!name)
		SKIP(return, "PROFIL_KO names no module");
	for (i = 0; i < USERS; i++) {
		users[i] = fork();
		if (!users[i])
			use_for_ever(buffer);
	}
	for (i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(0, unload());
		EXPECT_EQ(0, load(name));
	}
	for (i = 0; i < USERS; i++) {
		EXPECT_EQ(0, waitpid(users[i], &status, WNOHANG));
		kill(users[i], SIGKILL);
		waitpid(users[i], NULL, 0);
	}
}

TEST_HARNESS_MAIN
