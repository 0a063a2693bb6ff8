// SPDX-License-Identifier: GPL-2.0-only
/*
 * The share of a CPU that samples take: a slow sample alone loses no other, and
 * together they leave most of the time to the program.
 */
#include "machine_test.h"
#include "paths_test.h"

#ifdef __LP64__

#define FRAMES	250

/* Calls that are not those of the last time, so that all frames are new. */
static void call_anew(unsigned int round, unsigned long loops)
{
	call_3(paths_deep, loops, FRAMES, 0x123456789abcdefULL << round % 8);
}

/* Each stop is as a slow sample, and these tests are of the module's alone. */
static bool stands_still(void)
{
	uint64_t begin = monotonic_ns(), last = begin, now, still = 0;

	while (last < begin + 300000000) {
		now = monotonic_ns();
		if (now > last + 200000)
			still += now - last;
		last = now;
	}
	return still > 30000000;
}

FIXTURE(observe_share) {
	struct observer *o;
};

FIXTURE_SETUP(observe_share)
{
	NEED_FINE_TIMERS();
	if (stands_still())
		SKIP(_exit(255), "the machine stood still a tenth of the time");
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
}

FIXTURE_TEARDOWN(observe_share)
{
	free(self->o);
}

/* This process has call paths, and so have its children.  0 or an errno. */
static int follow_paths(struct observer *o, uint32_t rate_hz)
{
	struct profil_unwind_map map = map_of(__start_paths, __stop_paths,
					      PROFIL_UNWIND_FRAME_POINTERS);
	struct profil_observe args = observe_args(rate_hz);
	int err, mem;

	args.depth = 255;
	args.images = 16;
	err = observe_open_with(o, &args);
	if (err || observe_join(o->fd, 0, 0, 0))
		return err ? err : errno;
	mem = open_mem(getpid());
	err = unwind_maps(o->fd, paths_image(o), mem, &map, 1);
	close(mem);
	return err;
}

#define TIMES	100

/* Of some times many, because a machine that stands still loses samples. */
TEST_F(observe_share, slow_samples_alone_lose_no_other)
{
	struct observer *o = self->o;
	unsigned int i, round = 0, whole = 0;
	uint64_t lost, end;

	if (has_slow_kernel())
		SKIP(return, "a kernel that checks its memory accesses");
	ASSERT_EQ(0, follow_paths(o, 2500));
	for (i = 0; i < TIMES; i++) {
		swap_chains(o, NULL, NULL);
		lost = o->sum.lost;
		for (end = cpu_ns() + 20000000; cpu_ns() < end;)
			call_anew(round++, 20000);
		swap_chains(o, NULL, NULL);
		whole += o->sum.lost == lost;
	}
	TH_LOG("%u of %u times none, %llu of %llu lost", whole, TIMES,
	       o->sum.lost, o->sum.seen);
	EXPECT_LT(TIMES / 4, whole);
	EXPECT_TRUE(o->balanced);
	observe_close(o);
}

#define TURNS	2000

static void take_turns(void)
{
	unsigned int i;

	pin_to(0);
	for (i = 0; i < TURNS; i++) {
		call_anew(i, 1000);
		sched_yield();
	}
}

static void count_slow(void *data, const struct chain *chain)
{
	uint64_t pc = chain->pc[chain->nr - 1], *slow = data;

	if (pc >= addr(paths_deep) && pc < addr(paths_deep_end))
		*slow += chain->count;
}

/* Slow samples a second of two processes; other follows one of them besides. */
static double slow_rate(struct observer *o, const struct observer *other)
{
	uint64_t begin = monotonic_ns(), slow = 0;
	pid_t pid[2];
	int i;

	swap_chains(o, NULL, NULL);
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		if (i && other && observe_join(other->fd, 0, 0, 0))
			_exit(1);
		take_turns();
		_exit(0);
	}
	for (i = 0; i < 2; i++)
		if (end_of(pid[i]))
			return 1e9;
	begin = monotonic_ns() - begin;
	swap_chains(o, count_slow, &slow);
	return slow * 1e9 / begin;
}

/* The rate is another at each turn, and samples that are slow go on to be few. */
TEST_F(observe_share, rates_in_turn_leave_time_for_work)
{
	struct observer *o = self->o, *other = calloc(1, sizeof(*other));
	double one = 0, two = 0;
	int i;

	ASSERT_NE(NULL, other);
	ASSERT_EQ(0, follow_paths(o, observe_max_rate()));
	ASSERT_EQ(0, observe_open(other, observe_max_rate(), 0));
	for (i = 0; i < 5; i++) {
		one += slow_rate(o, NULL);
		two += slow_rate(o, other);
	}
	TH_LOG("%.0f a second at one rate, %.0f at two", one / 5, two / 5);
	EXPECT_LT(0, one);
	EXPECT_LT(two, one * 1.5);
	EXPECT_LT(0, o->sum.lost);
	EXPECT_TRUE(o->balanced);
	observe_close(other);
	free(other);
	observe_close(o);
}

/* Rounds of work in half a second. */
static unsigned int work_done(void)
{
	uint64_t end = monotonic_ns() + 500000000;
	unsigned int rounds = 0;

	while (monotonic_ns() < end)
		call_anew(rounds++, 1000);
	return rounds;
}

#define USERS_HZ	10000	/* the most for an ordinary user */

/* How many percent of the work are done while so many observers follow it. */
static unsigned int work_followed(struct __test_metadata *_metadata,
				  unsigned int slow, unsigned int quick)
{
	struct observer *o[PROFIL_OBSERVERS_MAX];
	unsigned int alone, followed = 0, nr, i;
	int err = 0;

	alone = work_done();
	for (nr = 0; nr < slow + quick && !err; nr++) {
		o[nr] = calloc(1, sizeof(*o[nr]));
		if (nr < slow)
			err = follow_paths(o[nr], USERS_HZ);
		else
			err = observe_open(o[nr], USERS_HZ, 0) ||
			      observe_join(o[nr]->fd, 0, 0, 0);
	}
	if (!err)
		followed = work_done();
	for (i = 0; i < nr; i++) {
		observe_close(o[i]);
		free(o[i]);
	}
	TH_LOG("%u rounds alone, %u while it is followed", alone, followed);
	return 100 * followed / alone;
}

/* An emulator's take more than the samples in them, where it does not count them. */
#define NEED_QUICK_INTERRUPTS()						\
do {									\
	if (work_followed(_metadata, 0, PROFIL_OBSERVERS_MAX) < 85)	\
		SKIP(return, "interrupts take long on this machine");	\
} while (0)

/* Observers without paths take quick samples between those that are slow. */
TEST_F(observe_share, quick_samples_hide_no_slow_ones)
{
	NEED_QUICK_INTERRUPTS();
	EXPECT_LT(75, work_followed(_metadata, 1, 3));
}

TEST_F(observe_share, as_many_quick_samples_hide_no_slow_ones)
{
	NEED_QUICK_INTERRUPTS();
	EXPECT_LT(75, work_followed(_metadata, 2, 2));
}

/* A process whose samples are slow.  It sleeps while the timer waits. */
static void be_slow(void)
{
	const struct timespec wait = { .tv_nsec = 60000 };
	unsigned int round = 0;

	pin_to(0);
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		while (++round % 12)
			call_anew(round, 1000);
		nanosleep(&wait, NULL);
	}
}

/* The samples of another user's process wait for them, but for a short time. */
TEST_F(observe_share, slow_samples_leave_others_most_of_theirs)
{
	struct observer *o = self->o, *other = calloc(1, sizeof(*other));
	pid_t slow, pid;
	int go[2];
	char byte;

	NEED_QUICK_INTERRUPTS();
	ASSERT_NE(NULL, other);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, observe_open(other, 10000, 0));
	pid = fork();
	if (!pid) {
		pin_to(0);
		if (become_user(1001) || read(go[0], &byte, 1) != 1 ||
		    observe_join(other->fd, 0, 0, 0))
			_exit(1);
		burn_ms(1000);
		_exit(0);
	}
	ASSERT_EQ(0, follow_paths(o, observe_max_rate()));
	slow = fork();
	if (!slow) {
		if (become_user(1000))
			_exit(1);
		be_slow();
	}
	ASSERT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(0, end_of(pid));
	kill(slow, SIGKILL);
	end_of(slow);
	ASSERT_EQ(0, observe_read(other));
	swap_chains(o, NULL, NULL);
	TH_LOG("%llu of %llu lost, of the slow ones %llu of %llu", other->sum.lost,
	       other->sum.seen, o->sum.lost, o->sum.seen);
	EXPECT_LT(other->sum.lost * 4, other->sum.seen);
	observe_close(other);
	free(other);
	observe_close(o);
}

#endif /* __LP64__ */

TEST_HARNESS_MAIN
