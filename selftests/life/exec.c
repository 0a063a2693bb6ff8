// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "Lifetime": exec, also of a set-uid program, ends a profile, and
 * nothing of it reaches the new program.
 *
 * Run with an argument, this program is the new one.
 */
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/xattr.h>

#include "exec_test.h"

/* Where the old program had its buffer; below 4 GiB for 32-bit programs. */
#define BUFFER	0x60000000UL

static char *fixed_buffer(void)
{
	return mmap((void *)BUFFER, PAGE, PROT_READ | PROT_WRITE,
		    MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* 0 if this program is not profiled, whatever the one before it set. */
static int new_program(void)
{
	char *buffer = fixed_buffer();
	int i;

	for (i = 0; i < 100; i++)
		hot_a(300000);
	if (query().state != PROFIL_STATE_OFF || query().nr_regions)
		return 1;
	if (ask(PROFIL_IOC_QUERY, PROFIL_F_THREAD, NULL, 0).nr_regions)
		return 2;
	if (counter(buffer, 8, 0))
		return 3;
	/* It can set its own profile. */
	if (set_region(all_region(buffer, 8)))
		return 4;
	burn(3);
	if (stop().books.binned != counter(buffer, 8, 0))
		return 5;
	return 0;
}

FIXTURE(exec) {
	char *argv[3];
	char *buffer;
};

FIXTURE_SETUP(exec)
{
	self->argv[0] = "/proc/self/exe";
	self->argv[1] = "new";
	self->argv[2] = NULL;
	self->buffer = fixed_buffer();
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	burn(3);
}

FIXTURE_TEARDOWN(exec)
{
	/* The old program's profile went on meanwhile, where there is one. */
	EXPECT_EQ(PROFIL_STATE_ON, query().state);
	EXPECT_EQ(stop().books.binned, counter(self->buffer, 8, 0));
}

TEST_F(exec, ends_the_profile)
{
	EXPECT_CHILD({
		burn(2);
		execv(self->argv[0], self->argv);
		_exit(99);
	});
}

TEST_F(exec, at_once_after_fork_ends_the_profile)
{
	int i;

	for (i = 0; i < 20; i++)
		EXPECT_CHILD({
			execv(self->argv[0], self->argv);
			_exit(99);
		});
}

TEST_F(exec, after_vfork_keeps_parents_profile)
{
	pid_t pid = vfork();
	int status;

	if (!pid) {
		execv(self->argv[0], self->argv);
		_exit(99);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(exec, ends_a_thread_profile)
{
	EXPECT_CHILD({
		struct profil_region region = all_region(self->buffer, 8);

		if (set_flags(&region, 1, PROFIL_F_THREAD))
			_exit(98);
		while (ask(PROFIL_IOC_QUERY, PROFIL_F_THREAD, NULL,
			   0).books.seen < 2)
			hot_a(100000);
		execv(self->argv[0], self->argv);
		_exit(99);
	});
}

static char *clone_argv[] = { "/bin/sleep", "2", NULL };
static char *clone_buffer;

static int set_own_and_exec(void *unused)
{
	struct profil_region region = all_region(clone_buffer, 8);

	region.size = 8;
	if (set_flags(&region, 1, PROFIL_F_THREAD))
		_exit(98);
	execv(clone_argv[0], clone_argv);
	_exit(99);
}

/* The memory that it was set in lives on, and must be given back. */
TEST_F(exec, ends_thread_profile_in_shared_memory)
{
	char *stack = map_buffer(16 * PAGE);
	bool listed = true;
	int tries, status;
	pid_t pid;

	clone_buffer = self->buffer + 512;
	pid = clone(set_own_and_exec, stack + 16 * PAGE,
		    CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	ASSERT_LT(0, pid);
	/* The program runs on; its line in the list has to go before. */
	for (tries = 0; tries < 100 && listed; tries++) {
		FILE *f = fopen("/sys/kernel/debug/profil/profiles", "r");
		char line[300];

		usleep(10000);
		ASSERT_NE(NULL, f);
		listed = false;
		while (fgets(line, sizeof(line), f))
			listed |= strstr(line, "t ") && atoi(line) == pid;
		fclose(f);
	}
	EXPECT_FALSE(listed);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	munmap(stack, 16 * PAGE);
}

/* The new program has rights that its caller lacks. */
static void exec_as_user(char *name)
{
	char *argv[] = { name, "secure", NULL };

	if (setgid(65534) || setuid(65534))
		_exit(98);
	execv(name, argv);
	_exit(99);
}

TEST_F(exec, of_a_set_uid_program_ends_the_profile)
{
	char name[] = "/tmp/profil_setuid_XXXXXX";

	ASSERT_EQ(0, copy_program(name));
	ASSERT_EQ(0, chown(name, 1234, 1234));
	ASSERT_EQ(0, chmod(name, 06755));
	EXPECT_CHILD(exec_as_user(name));
	unlink(name);
}

TEST_F(exec, exec_with_capabilities_ends_profile)
{
	struct vfs_cap_data cap = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1U << CAP_SYS_PTRACE,
	};
	char name[] = "/tmp/profil_cap_XXXXXX";

	ASSERT_EQ(0, copy_program(name));
	if (setxattr(name, "security.capability", &cap, sizeof(cap), 0)) {
		unlink(name);
		SKIP(return, "a file system without capabilities of files");
	}
	EXPECT_CHILD(exec_as_user(name));
	unlink(name);
}

static void *exec_in_thread(void *argv)
{
	struct profil_region region = all_region(clone_buffer, 8);

	if (set_flags(&region, 1, PROFIL_F_THREAD))
		_exit(98);
	execv(*(char **)argv, argv);
	_exit(99);
}

/* An exec by another thread, which takes the first thread's place. */
TEST_F(exec, by_a_second_thread_ends_both_profiles)
{
	int i;

	clone_buffer = self->buffer + 512;
	for (i = 0; i < 5; i++)
		EXPECT_CHILD({
			pthread_t threads[3];

			burners_start(threads, 2);
			if (pthread_create(&threads[2], NULL, exec_in_thread,
					   self->argv))
				_exit(97);
			burner(NULL);
		});
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "new"))
		return new_program();
	if (argc == 2 && !strcmp(argv[1], "secure"))
		return getauxval(AT_SECURE) ? new_program() : 6;
	return test_harness_run(argc, argv);
}
