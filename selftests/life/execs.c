// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains of programs that execute one another, every second one set-user-ID,
 * each with profiles that must not survive.  They are long, because a tick
 * seldom falls into an exec.  Linked statically, so that it starts fast.
 *
 * MANY=N is how often: with 500 they are 100,000.
 *
 * Run with arguments, this program is one of a chain.
 */
#include "exec_test.h"
#include "machine_test.h"

#define EXECS	200
#define CHAINS	4	/* at a time */

/*
 * Two counters in memory that every program of a chain has: one is this
 * program's, the other was the last one's.
 */
#define CHAIN_FD	100

/* One copy is as this program, the other is set-user-ID. */
static void exec_next(unsigned long left, char *const programs[2])
{
	char *name = programs[left % 2];
	char text[20];

	snprintf(text, sizeof(text), "%lu", left);
	execl(name, name, text, programs[0], programs[1], NULL);
	_exit(9);
}

/* It is not counted, and the last program's counter stays as it is. */
static int is_unprofiled(const uint64_t *last)
{
	uint64_t before = *(const volatile uint64_t *)last;

	if (query().state != PROFIL_STATE_OFF || query().nr_regions)
		return 1;
	if (ask(PROFIL_IOC_QUERY, PROFIL_F_THREAD, NULL, 0).nr_regions)
		return 2;
	hot_a(20000);
	return *(const volatile uint64_t *)last == before ? 0 : 3;
}

static int chain_program(unsigned long left, char *const programs[2])
{
	uint64_t *counters = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED, CHAIN_FD, 0);
	struct profil_region region = all_region(&counters[left % 2], 8);
	int bad;

	if (counters == MAP_FAILED)
		return 8;
	bad = is_unprofiled(&counters[(left + 1) % 2]);
	if (bad || !left)
		return bad;
	if (set_region(region) ||
	    (left % 3 && set_flags(&region, 1, PROFIL_F_THREAD)))
		return 7;
	hot_b(20000);
	exec_next(left - 1, programs);
	return 9;
}

static void begin_chain(unsigned long length, char *const programs[2])
{
	int fd = memfd_create("chain", 0);

	if (ftruncate(fd, PAGE) || dup2(fd, CHAIN_FD) != CHAIN_FD ||
	    setgid(65534) || setuid(65534))
		_exit(10);
	exec_next(length, programs);
}

FIXTURE(execs) {
	char same[40];
	char set_uid[40];
};

FIXTURE_SETUP(execs)
{
	strcpy(self->same, "/tmp/profil_execs_XXXXXX");
	strcpy(self->set_uid, self->same);
	ASSERT_EQ(0, copy_program(self->same));
	ASSERT_EQ(0, copy_program(self->set_uid));
	ASSERT_EQ(0, chown(self->set_uid, 1234, 1234));
	ASSERT_EQ(0, chmod(self->set_uid, 06755));
}

FIXTURE_TEARDOWN(execs)
{
	unlink(self->same);
	unlink(self->set_uid);
}

TEST_F_TIMEOUT(execs, take_no_profile_along, 1000000)
{
	unsigned long length = EXECS * number("MANY", 1) / CHAINS;
	char *const programs[] = { self->same, self->set_uid };
	pid_t pids[CHAINS];
	int i, status;

	for (i = 0; i < CHAINS; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i])
			begin_chain(length, programs);
	}
	for (i = 0; i < CHAINS; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
}

int main(int argc, char **argv)
{
	if (argc == 4)
		return chain_program(strtoul(argv[1], NULL, 10), argv + 2);
	return test_harness_run(argc, argv);
}
