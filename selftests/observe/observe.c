// SPDX-License-Identifier: GPL-2.0-only
/*
 * An observer: what it counts, of which processes, and what is told of them.
 */
#include <math.h>
#include <sched.h>
#include <sys/auxv.h>

#include "observe_test.h"

#define RATE	5000

FIXTURE(observe) {
	struct observer *o;
};

FIXTURE_SETUP(observe)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
	ASSERT_EQ(0, observe_open(self->o, RATE, 0));
}

FIXTURE_TEARDOWN(observe)
{
	observe_close(self->o);
	free(self->o);
}

static void burn_some(void)
{
	burn_ms(400);
}

TEST_F(observe, self_counts_own_pcs)
{
	struct observer *o = self->o;

	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	burn_ms(600);
	ASSERT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	EXPECT_EQ(0, o->sum.unplaced);
	EXPECT_EQ(0, o->sum.refused);
	/* burn_ms() asks for the time, which takes half of it under KASAN. */
	EXPECT_LT(o->sum.counted / 4, o->hot);
	EXPECT_LT(0, o->hot);
	ASSERT_EQ(1, o->nr_images);
	EXPECT_EQ(getpid(), o->image[0].pid);
	EXPECT_EQ(PROFIL_IMAGE_JOIN, o->image[0].how);
	EXPECT_EQ(o->sum.counted, o->by_image[1]);
}

/* Also of a program of 32 bits. */
TEST_F(observe, record_has_addresses_of_program)
{
	struct observer *o = self->o;
	int tries = 20;

	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	while (!o->nr_images && tries--) {
		burn_ms(100);
		ASSERT_EQ(0, observe_read(o));
	}
	ASSERT_EQ(1, o->nr_images);
	EXPECT_EQ(getauxval(AT_ENTRY), o->image[0].entry);
	EXPECT_EQ(getauxval(AT_PHDR), o->image[0].phdr);
	EXPECT_EQ(getauxval(AT_BASE), o->image[0].base);
}

TEST_F(observe, rate_is_that_of_cpu_time)
{
	struct observer *o = self->o;
	double due, seen, far;
	uint64_t begin, before;
	int tries = 0;

	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	/* Late timers cost nothing, but what an emulator does shows, once. */
	do {
		ASSERT_EQ(0, observe_read(o));
		before = o->sum.seen;
		begin = cpu_ns();
		burn_ms(1500);
		due = (cpu_ns() - begin) / 1e9 * RATE;
		ASSERT_EQ(0, observe_read(o));
		seen = o->sum.seen - before;
		TH_LOG("%.0f seen, %.0f due", seen, due);
		far = fabs(seen - due);
		far = far < due / 50 ? 0 : far - due / 50;
	} while (16 * due <= far * far && ++tries < 3);
	EXPECT_GT(3, tries);
}

static void exec_shell(void)
{
	burn_ms(100);
	execl("/bin/sh", "sh", "-c",
	      "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3", NULL);
	_exit(1);
}

TEST_F(observe, exec_is_followed_and_told)
{
	struct observer *o = self->o;
	pid_t pid = observe_start(o, 0, exec_shell);
	uint32_t i, first;

	EXPECT_EQ(3 << 8, end_of(pid));
	ASSERT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	ASSERT_EQ(2, o->nr_images);
	EXPECT_TRUE(has_image(o, "sh", PROFIL_IMAGE_EXEC));
	for (i = 0; i < 2; i++) {
		if (o->image[i].how != PROFIL_IMAGE_EXEC)
			continue;
		EXPECT_EQ('/', o->image[i].path[0]);
		EXPECT_NE(0, o->image[i].entry);
		EXPECT_NE(0, o->image[i].ino);
		EXPECT_NE(0, o->image[i].parent);
	}
	/* The process may have changed its CPU between the two. */
	ASSERT_EQ(2, o->nr_ends);
	first = o->end[0].image > o->end[1].image;
	EXPECT_EQ(PROFIL_END_EXEC, o->end[first].status);
	EXPECT_LT(50000000, o->end[first].cpu_ns);
	EXPECT_EQ(3 << 8, o->end[!first].status);
	EXPECT_EQ(0, o->map->followed);
}

static void fork_three(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		if (!fork()) {
			burn_ms(150);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

TEST_F(observe, forked_children_are_images_of_their_own)
{
	struct observer *o = self->o;
	uint32_t i, children = 0;

	EXPECT_EQ(0, end_of(observe_start(o, 0, fork_three)));
	ASSERT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	for (i = 0; i < o->nr_images; i++)
		children += o->image[i].how == PROFIL_IMAGE_FORK;
	EXPECT_EQ(3, children);
	EXPECT_EQ(0, o->sum.not_followed);
}

TEST_F(observe, children_are_left_out_with_no_fork)
{
	struct observer *o = self->o;

	EXPECT_EQ(0, end_of(observe_start(o, PROFIL_JOIN_F_NO_FORK, fork_three)));
	ASSERT_EQ(0, observe_read(o));
	EXPECT_GE(1, o->nr_images);
	EXPECT_GE(1, o->nr_ends);
}

TEST_F(observe, other_is_joined_by_its_memory)
{
	struct observer *o = self->o;
	pid_t pid = fork();

	if (!pid) {
		burn_ms(1000);
		_exit(0);
	}
	EXPECT_EQ(0, observe_join_pid(o->fd, pid));
	EXPECT_EQ(EALREADY, observe_join_pid(o->fd, pid));
	EXPECT_EQ(0, end_of(pid));
	ASSERT_EQ(0, observe_read(o));
	EXPECT_LT(0, o->hot);
	ASSERT_EQ(1, o->nr_images);
	EXPECT_EQ(pid, o->image[0].pid);
}

TEST_F(observe, fifth_observer_is_ebusy)
{
	struct profil_observe args = observe_args(1000);
	int more[PROFIL_OBSERVERS_MAX], i;

	EXPECT_EQ(0, observe_join(self->o->fd, 0, 0, 0));
	for (i = 0; i < PROFIL_OBSERVERS_MAX; i++) {
		more[i] = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
		args.map_size = 0;
		ASSERT_EQ(0, observe_fd(more[i], &args));
		EXPECT_EQ(i < PROFIL_OBSERVERS_MAX - 1 ? 0 : EBUSY,
			  observe_join(more[i], 0, 0, 0));
	}
	for (i = 0; i < PROFIL_OBSERVERS_MAX; i++)
		close(more[i]);
}

static void become_private(void)
{
	burn_ms(200);
	prctl(PR_SET_DUMPABLE, 0);
	hot_b(1);
	burn_ms(400);
}

TEST_F(observe, private_process_is_refused)
{
	struct profil_observe args = observe_args(RATE);
	struct observer *o = self->o;
	uint64_t counted;
	int there[2], back[2];
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	pid = fork();
	if (!pid) {
		/* Without capabilities, as its opener. */
		if (setgid(1000) || setuid(1000))
			_exit(1);
		prctl(PR_SET_DUMPABLE, 1);
		o->fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
		if (observe_fd(o->fd, &args))
			_exit(2);
		o->map = mmap(NULL, args.map_size, PROT_READ, MAP_SHARED,
			      o->fd, 0);
		if (o->map == MAP_FAILED || end_of(observe_start(o, 0, burn_some)))
			_exit(3);
		if (observe_read(o) || o->sum.refused)
			_exit(4);
		pid = fork();
		if (!pid) {
			if (observe_join(o->fd, 0, 0, 0))
				_exit(1);
			prctl(PR_SET_DUMPABLE, 0);
			if (write(back[1], "", 1) != 1 ||
			    read(there[0], &byte, 1) != 1)
				_exit(1);
			burn_ms(400);
			_exit(0);
		}
		if (read(back[0], &byte, 1) != 1 || observe_read(o))
			_exit(5);
		counted = o->sum.counted;
		if (write(there[1], "", 1) != 1 || end_of(pid) ||
		    observe_read(o))
			_exit(6);
		_exit(o->sum.counted == counted && o->sum.refused &&
		      o->balanced ? 0 : 7);
	}
	EXPECT_EQ(0, end_of(pid));
}

TEST_F(observe, private_process_is_roots_to_see)
{
	struct observer *o = self->o;

	EXPECT_EQ(0, end_of(observe_start(o, 0, become_private)));
	ASSERT_EQ(0, observe_read(o));
	EXPECT_EQ(0, o->sum.refused);
	EXPECT_LT(0, o->hot);
}

TEST_F(observe, descriptor_of_another_is_refused)
{
	struct observer *o = self->o;
	pid_t pid = fork(), asks;
	int fd;

	if (!pid) {
		pause();
		_exit(0);
	}
	fd = open_mem(pid);
	ASSERT_LE(0, fd);
	asks = fork();
	if (!asks) {
		if (setgid(1000) || setuid(1000))
			_exit(1);
		_exit(observe_join(o->fd, pid, fd, 0));
	}
	EXPECT_EQ(EPERM << 8, end_of(asks));
	kill(pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
	/* What has ended, or is somebody else's, is no process of it. */
	EXPECT_EQ(ESRCH, observe_join(o->fd, getpid(), fd, 0));
	EXPECT_EQ(ESRCH, observe_join(o->fd, pid, fd, 0));
	EXPECT_EQ(EINVAL, observe_join(o->fd, getpid(), o->fd, 0));
	EXPECT_EQ(EBADF, observe_join(o->fd, getpid(), 999, 0));
	close(fd);
}

TEST_F(observe, bad_arguments_say_why)
{
	struct profil_observe args = observe_args(1000);
	int fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	struct profil_swap swap = { .size = sizeof(swap) };

	EXPECT_EQ(EINVAL, observe_join(fd, 0, 0, 0));
	EXPECT_EQ(-1, ioctl(fd, PROFIL_IOC_SWAP, &swap));
	EXPECT_EQ(EINVAL, errno);
	args.depth = 256;
	EXPECT_EQ(EOPNOTSUPP, observe_fd(fd, &args));
	args = observe_args(0);
	EXPECT_EQ(EINVAL, observe_fd(fd, &args));
	args = observe_args(100001);
	EXPECT_EQ(EINVAL, observe_fd(fd, &args));
	args = observe_args(1000);
	args.nodes = 0;
	EXPECT_EQ(EINVAL, observe_fd(fd, &args));
	args = observe_args(1000);
	args.flags = 1u << 31;
	EXPECT_EQ(EINVAL, observe_fd(fd, &args));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
	args = observe_args(1000);
	EXPECT_EQ(0, observe_fd(fd, &args));
	EXPECT_EQ(EBUSY, observe_fd(fd, &(struct profil_observe){
		.size = sizeof(args), .rate_hz = 1, .nodes = 1, .images = 1 }));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0));
	EXPECT_EQ(EINVAL, observe_join(fd, 0, 0, 1u << 31));
	close(fd);
}

TEST_F(observe, poll_wakes_for_an_image)
{
	struct pollfd poll_fd = { .fd = self->o->fd, .events = POLLIN };

	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	ASSERT_EQ(0, observe_join(self->o->fd, 0, 0, 0));
	burn_ms(100);
	EXPECT_EQ(1, poll(&poll_fd, 1, 0));
	ASSERT_EQ(0, observe_swap(self->o));
}

TEST_F(observe, mapping_outlives_the_descriptor)
{
	struct observer *o = self->o;

	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	burn_ms(200);
	ASSERT_EQ(0, observe_swap(o));
	close(o->fd);
	EXPECT_NE(0, o->map->nr_cpus);
	EXPECT_NE(0, o->map->half[0].cpu_ns);
	o->fd = -1;
}

static void *burn_thread(void *unused)
{
	burn_ms(300);
	return NULL;
}

TEST_F(observe, threads_have_nodes_of_their_own)
{
	struct observer *o = self->o;
	struct profil_thread *told;
	struct profil_half *half;
	pthread_t threads[3];
	uint32_t cpu, i, named = 0, plain = 0;
	int n;

	observe_close(o);
	ASSERT_EQ(0, observe_open(o, RATE, PROFIL_OBSERVE_F_THREADS));
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	for (n = 0; n < 3; n++)
		pthread_create(&threads[n], NULL, burn_thread, NULL);
	for (n = 0; n < 3; n++)
		pthread_join(threads[n], NULL);
	/* A thread is joined before the last of its exit. */
	usleep(200000);
	ASSERT_EQ(0, observe_swap(o));
	for (cpu = 0; cpu < o->map->nr_cpus; cpu++) {
		half = (void *)o->map + o->map->halves +
		       2 * cpu * o->map->half_size;
		told = (void *)half + o->map->threads_at;
		for (i = 0; i < half->nr_threads; i++) {
			named += told[i].flags & PROFIL_THREAD_F_ENDED &&
				 told[i].tid != getpid();
			plain += (told[i].number & 0x3fffff) ==
				 (uint32_t)told[i].tid;
		}
	}
	EXPECT_EQ(3, named);
	/* What no namespace has to tell, a number has in no plain form. */
	EXPECT_EQ(0, plain);
	EXPECT_TRUE(o->balanced);
	EXPECT_LT(0, o->hot);
}

TEST_HARNESS_MAIN
