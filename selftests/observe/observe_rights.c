// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an observer may see: no more than a debugger of its opener could.
 */
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>

#include "exec_test.h"
#include "observe_test.h"

#define RATE	5000
#define USER	1000
#define OTHER	2000

/* This program again, under another name: it burns, and no more. */
__attribute__((constructor)) static void burn_if_told(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "burn")) {
		burn_ms(300);
		_exit(0);
	}
}

FIXTURE(observe_rights) {
	struct observer *o;
	pid_t pid;		/* of a child that waits */
	char program[40];
};

FIXTURE_SETUP(observe_rights)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
	self->pid = fork();
	while (!self->pid)
		pause();
	strcpy(self->program, "/tmp/profil_burn_XXXXXX");
	ASSERT_EQ(0, copy_program(self->program));
}

FIXTURE_TEARDOWN(observe_rights)
{
	unlink(self->program);
	kill(self->pid, SIGKILL);
	end_of(self->pid);
	free(self->o);
}

static int as_user(int (*what)(struct observer *o, void *arg),
		   struct observer *o, void *arg)
{
	pid_t pid = fork();

	if (!pid)
		_exit(become_user(USER) ? 255 : what(o, arg));
	return end_of(pid);
}

static int join_root(struct observer *o, void *pid)
{
	int own = open_mem(getpid());

	FAIL_UNLESS(!observe_open(o, RATE, 0));
	FAIL_UNLESS(open_mem(*(pid_t *)pid) < 0 && errno == EACCES);
	FAIL_UNLESS(observe_join(o->fd, *(pid_t *)pid, own, 0) == ESRCH);
	FAIL_UNLESS(!observe_join(o->fd, getpid(), own, 0));
	return 0;
}

TEST_F(observe_rights, process_of_another_user_is_refused)
{
	EXPECT_EQ(0, as_user(join_root, self->o, &self->pid));
}

static int exec_program(struct observer *o, void *program)
{
	pid_t pid;

	FAIL_UNLESS(!observe_open(o, RATE, 0));
	pid = fork();
	if (!pid) {
		if (!observe_join(o->fd, 0, 0, 0)) {
			burn_ms(500);
			execl(program, "burn", "burn", NULL);
		}
		_exit(1);
	}
	FAIL_UNLESS(!end_of(pid));
	FAIL_UNLESS(!observe_read(o) && o->balanced && o->hot);
	return 0;
}

static int exec_readable(struct observer *o, void *program)
{
	uint32_t i, nr = 0;

	FAIL_UNLESS(!exec_program(o, program));
	/* Since Linux 7.2 a process is private for a moment of exec. */
	FAIL_UNLESS(o->sum.refused < 10);
	FAIL_UNLESS(!o->sum.left);
	FAIL_UNLESS(o->nr_images == 2);
	for (i = 0; i < 2; i++)
		if (o->image[i].how == PROFIL_IMAGE_EXEC &&
		    !strcmp(o->image[i].path, program))
			nr += o->by_image[o->image[i].number] + o->sum.lost > 100;
	FAIL_UNLESS(nr == 1);
	return 0;
}

static int exec_set_user_id(struct observer *o, void *program)
{
	FAIL_UNLESS(!exec_program(o, program));
	FAIL_UNLESS(o->sum.left == 1 && o->nr_images == 1);
	FAIL_UNLESS(o->nr_ends == 1 && o->end[0].status == PROFIL_END_EXEC);
	FAIL_UNLESS(!o->map->followed);
	return 0;
}

TEST_F(observe_rights, set_user_id_exec_ends_the_following)
{
	ASSERT_EQ(0, chown(self->program, OTHER, OTHER));
	ASSERT_EQ(0, chmod(self->program, 06755));
	EXPECT_EQ(0, as_user(exec_set_user_id, self->o, self->program));
}

static int exec_unreadable(struct observer *o, void *program)
{
	FAIL_UNLESS(!exec_program(o, program));
	FAIL_UNLESS(!o->sum.left && o->nr_images == 1);
	FAIL_UNLESS(o->sum.refused);
	return 0;
}

TEST_F(observe_rights, unreadable_program_is_refused)
{
	ASSERT_EQ(0, chmod(self->program, 0711));
	EXPECT_EQ(0, as_user(exec_unreadable, self->o, self->program));
}

TEST_F(observe_rights, readable_program_is_followed)
{
	EXPECT_EQ(0, as_user(exec_readable, self->o, self->program));
}

/* A user that was passed an observer, and memory of root's, can give itself. */
TEST_F(observe_rights, passed_observer_takes_the_giver)
{
	int root_mem = open_mem(self->pid);
	pid_t pid;

	ASSERT_EQ(0, observe_open(self->o, RATE, 0));
	pid = fork();
	if (!pid) {
		if (become_user(OTHER))
			_exit(1);
		if (observe_join(self->o->fd, self->pid, root_mem, 0) != EPERM)
			_exit(2);
		_exit(observe_join(self->o->fd, 0, 0, 0) ? 3 : 0);
	}
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(0, observe_join(self->o->fd, self->pid, root_mem, 0));
	close(root_mem);
	observe_close(self->o);
}

static pid_t fork_as(pid_t number)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = addr(&number),
		.set_tid_size = 1,
	};
	pid_t pid = syscall(SYS_clone3, &args, sizeof(args));

	while (!pid)
		pause();
	return pid;
}

TEST_F(observe_rights, reused_pid_is_esrch)
{
	pid_t pid = fork();
	int mem;

	while (!pid)
		pause();
	mem = open_mem(pid);
	ASSERT_LE(0, mem);
	ASSERT_EQ(0, observe_open(self->o, RATE, 0));
	kill(pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
	ASSERT_EQ(pid, fork_as(pid));
	EXPECT_EQ(ESRCH, observe_join(self->o->fd, pid, mem, 0));
	EXPECT_EQ(0, observe_join_pid(self->o->fd, pid));
	kill(pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
	close(mem);
	observe_close(self->o);
}

TEST_F(observe_rights, zombie_is_esrch)
{
	pid_t pid = fork();
	siginfo_t info;
	int mem;

	while (!pid)
		pause();
	mem = open_mem(pid);
	ASSERT_EQ(0, observe_open(self->o, RATE, 0));
	kill(pid, SIGKILL);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(ESRCH, observe_join(self->o->fd, pid, mem, 0));
	EXPECT_EQ(SIGKILL, end_of(pid));
	close(mem);
	observe_close(self->o);
}

TEST_F(observe_rights, pids_are_those_of_the_reader)
{
	struct observer *o = self->o;
	pid_t pid, inner;

	ASSERT_EQ(0, observe_open(o, RATE, 0));
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(1);
		inner = observe_start(o, 0, NULL);
		_exit(end_of(inner) ? 2 : 0);
	}
	EXPECT_EQ(0, end_of(pid));
	ASSERT_EQ(0, observe_read(o));
	ASSERT_EQ(1, o->nr_images);
	EXPECT_EQ(1, o->image[0].inner_pid);
	EXPECT_LT(1, o->image[0].pid);
	EXPECT_EQ(pid, o->image[0].ppid);
	observe_close(o);
}

TEST_F(observe_rights, reader_inside_sees_no_outer_pid)
{
	struct observer *o = self->o;
	pid_t pid = fork(), outer = getpid();

	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(1);
		pid = fork();
		if (pid)
			_exit(end_of(pid) ? 2 : 0);
		if (observe_open(o, RATE, 0) || observe_join(o->fd, 0, 0, 0))
			_exit(3);
		burn_ms(200);
		if (observe_read(o) || o->nr_images != 1)
			_exit(4);
		/* The number of a process outside means nothing inside. */
		if (observe_join(o->fd, outer, open_mem(1), 0) != ESRCH)
			_exit(5);
		_exit(o->image[0].pid == 1 && !o->image[0].ppid ? 0 : 6);
	}
	EXPECT_EQ(0, end_of(pid));
}

/* The upper half of the addresses, but for the bit that says "in the kernel". */
static uint64_t kernel_addresses_in(const void *at, size_t size)
{
	const uint64_t *word = at;
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < size / sizeof(*word); i++)
		nr += word[i] >> 47 == 0x1ffff;
	return nr;
}

/* In all pages that are mapped. */
static uint64_t kernel_addresses(const struct observer *o)
{
	const char *half = (const char *)o->map + o->map->halves;
	const char *end = (const char *)o->map + o->size;
	uint64_t nr = kernel_addresses_in(o->map, o->map->halves);

	for (; half < end; half += o->map->half_size)
		nr += kernel_addresses_in(half, o->map->threads_at +
					  o->map->threads *
					  sizeof(struct profil_thread));
	return nr;
}

TEST_F(observe_rights, kernel_address_is_never_in_the_table)
{
	struct observer *o = self->o;
	struct profil_node *nodes;
	struct profil_half *half;
	uint64_t end;
	uint32_t i;

	ASSERT_EQ(0, observe_open(o, 10000, PROFIL_OBSERVE_F_THREADS));
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	for (end = cpu_ns() + 600000000; cpu_ns() < end;) {
		free(calloc(1, 1 << 20));
		close(open("/proc/self/maps", O_RDONLY));
	}
	ASSERT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	EXPECT_LT(0, o->kernel);
	EXPECT_EQ(0, kernel_addresses(o));
	half = (void *)o->map + o->map->halves;
	nodes = (void *)half + o->map->nodes_at;
	for (i = 0; i < half->nr_nodes; i++)
		if (nodes[i].from & PROFIL_NODE_IMAGE)
			continue;
		else
			EXPECT_GT(1ULL << 47, nodes[i].pc & ~PROFIL_NODE_KERNEL);
	observe_close(o);
}

TEST_HARNESS_MAIN
