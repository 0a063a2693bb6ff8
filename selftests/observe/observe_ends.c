// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is counted and told of threads and processes that are about to end.
 */
#include <elf.h>
#include <glob.h>
#include <sys/syscall.h>

#include "fuse_test.h"
#include "observe_test.h"

#define ROUNDS	300
#define RATE	30
#define USER	1000

FIXTURE(observe_ends) {
	struct observer *o;
};

FIXTURE_SETUP(observe_ends)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
}

FIXTURE_TEARDOWN(observe_ends)
{
	free(self->o);
}

/* A thread that ends slowly once it has no pid: its directory in /proc goes. */
static void *end_slowly(void *unused)
{
	glob_t files = { 0 };

	glob("/proc/thread-self/*/*", 0, NULL, &files);
	globfree(&files);
	return NULL;
}

static void begin_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++)
		if (!pthread_create(&thread, NULL, end_slowly, NULL))
			pthread_join(thread, NULL);
}

static void fork_many(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		if (!fork()) {
			begin_threads();
			_exit(0);
		}
		wait(NULL);
	}
}

/* A child's record is made at its first sample, also if that thread has ended. */
TEST_F(observe_ends, first_sample_may_be_of_ended_thread)
{
	struct observer *o = self->o;
	uint32_t i, children = 0;
	int status;
	pid_t pid;

	ASSERT_EQ(0, observe_open(o, RATE, 0));
	pid = observe_start(o, 0, fork_many);
	while (!waitpid(pid, &status, WNOHANG)) {
		usleep(50000);
		ASSERT_EQ(0, observe_swap(o));
	}
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	for (i = 0; i < o->nr_images; i++) {
		EXPECT_EQ(o->image[i].pid, o->image[i].inner_pid);
		if (o->image[i].how != PROFIL_IMAGE_FORK)
			continue;
		EXPECT_EQ(pid, o->image[i].ppid);
		children++;
	}
	TH_LOG("%u of %u children", children, ROUNDS);
	EXPECT_LT(ROUNDS / 10, children);
	observe_close(o);
}

static void *end_thread(void *unused)
{
	burn_ms(100);
	syscall(SYS_exit, 7);
	return NULL;
}

static void end_leader_first(void)
{
	pthread_t thread;

	burn_ms(50);
	if (pthread_create(&thread, NULL, end_thread, NULL))
		_exit(1);
	syscall(SYS_exit, 5);
}

/* wait() has the leader's, or with newer kernels that of the last thread. */
TEST_F(observe_ends, status_is_that_of_wait)
{
	struct observer *o = self->o;
	int status;

	ASSERT_EQ(0, observe_open(o, 1000, 0));
	status = end_of(observe_start(o, 0, end_leader_first));
	ASSERT_EQ(0, observe_read(o));
	ASSERT_EQ(1, o->nr_ends);
	EXPECT_EQ(status, o->end[0].status);
	observe_close(o);
}

/* Nothing but the system call, so most of its life is its exit. */
static int write_tiny_program(int fd)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr text;
		uint32_t code[4];
	} program = {
		.head = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
			.e_version = EV_CURRENT,
			.e_entry = 0x400000 + sizeof(Elf64_Ehdr) +
				   sizeof(Elf64_Phdr),
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
		.text = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_vaddr = 0x400000,
			.p_filesz = sizeof(program),
			.p_memsz = sizeof(program),
			.p_align = PAGE,
		},
	};
#ifdef __aarch64__
	/* mov x8, #93; mov x0, #0; svc #0 */
	static const uint32_t code[] = { 0xd2800ba8, 0xd2800000, 0xd4000001 };

	program.head.e_machine = EM_AARCH64;
#else
	/* xor %edi, %edi; mov $60, %eax; syscall */
	static const uint32_t code[] = { 0x3cb8ff31, 0x0f000000, 0x00000005 };

	program.head.e_machine = EM_X86_64;
#endif
	memcpy(program.code, code, sizeof(code));
	if (write(fd, &program, sizeof(program)) != sizeof(program))
		return errno;
	return close(fd);
}

static void exec_or_fail(const char *program)
{
	burn_ms(1);
	execl(program, program, NULL);
	_exit(1);
}

static int exec_and_end(struct observer *o, const char *program)
{
	uint32_t i;
	pid_t pid;

	FAIL_UNLESS(!observe_open(o, 5000, 0));
	for (i = 0; i < 200; i++) {
		pid = fork();
		if (!pid) {
			FAIL_UNLESS(!observe_join(o->fd, 0, 0, 0));
			exec_or_fail(program);
		}
		FAIL_UNLESS(!end_of(pid));
	}
	FAIL_UNLESS(!observe_read(o) && o->balanced && o->sum.refused);
	for (i = 0; i < o->nr_images; i++)
		FAIL_UNLESS(o->image[i].how != PROFIL_IMAGE_EXEC);
	return 0;
}

/* Its mm, which says that it is private, is gone at its first sample. */
TEST_F(observe_ends, unreadable_one_is_refused_at_its_end)
{
	char program[] = "/tmp/profil_tiny_XXXXXX";

	ASSERT_EQ(0, write_tiny_program(mkstemp(program)));
	ASSERT_EQ(0, chmod(program, 0711));
	EXPECT_CHILD(_exit(become_user(USER) || exec_and_end(self->o, program)));
	unlink(program);
}

static int join_and_end(struct observer *o)
{
	pid_t pid;
	int i;

	FAIL_UNLESS(!observe_open(o, 10000, 0));
	for (i = 0; i < 500; i++) {
		pid = fork();
		if (!pid)
			_exit(observe_join(o->fd, 0, 0, 0));
		FAIL_UNLESS(!end_of(pid));
	}
	FAIL_UNLESS(!observe_read(o) && o->balanced && o->sum.counted);
	FAIL_UNLESS(!o->sum.refused);
	return 0;
}

/* Likewise, of one that is not. */
TEST_F(observe_ends, process_that_joins_last_is_counted)
{
	EXPECT_CHILD(_exit(become_user(USER) || join_and_end(self->o)));
}

static struct dump_area area;
static void *never;	/* a page that does not come */
static volatile pid_t late;

/* Its last store waits for the page.  It is not counted as alive by then. */
static void *end_late(void *unused)
{
	burn_ms(100);
	syscall(SYS_set_tid_address, never);
	late = syscall(SYS_gettid);
	syscall(SYS_exit, 0);
	return NULL;
}

static void *end_late_at_once(void *unused)
{
	syscall(SYS_set_tid_address, never);
	late = syscall(SYS_gettid);
	syscall(SYS_exit, 0);
	return NULL;
}

static bool is_waiting(pid_t tid)
{
	char name[40], text[400], *end;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", tid);
	file = fopen(name, "r");
	if (!file || !fgets(text, sizeof(text), file))
		_exit(1);
	fclose(file);
	end = strrchr(text, ')');
	return end[2] != 'R';
}

static void end_before_thread(void)
{
	pthread_t thread;
	int i;

	never = map_unanswered(area.dir, NULL);
	if (never == MAP_FAILED || pthread_create(&thread, NULL, end_late, NULL))
		_exit(1);
	for (i = 0; i < 3; i += late && is_waiting(late))
		usleep(20000);
	syscall(SYS_exit, 0);
}

/* The threads that have ended by now, each once. */
static uint32_t ended_threads(const struct observer *o, uint32_t quiet)
{
	static uint64_t numbers[8];
	static uint32_t ended;
	const struct profil_thread *told;
	const struct profil_half *half;
	uint32_t cpu, i, j;

	for (cpu = 0; cpu < o->map->nr_cpus; cpu++) {
		half = (void *)o->map + o->map->halves +
		       (2 * cpu + quiet) * o->map->half_size;
		told = (void *)half + o->map->threads_at;
		for (i = 0; i < half->nr_threads; i++) {
			for (j = 0; j < ended; j++)
				if (numbers[j] == told[i].number)
					break;
			if (j == ended && ended < 8 &&
			    told[i].flags & PROFIL_THREAD_F_ENDED)
				numbers[ended++] = told[i].number;
		}
	}
	return ended;
}

/* The process has ended for its observer, and one of its threads has not yet. */
TEST_F(observe_ends, thread_that_ends_last_is_told_of)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	struct observer *o = self->o;
	struct fuse_server server;
	bool was_followed = false;
	uint32_t ended = 0;
	pid_t pid;

	area = area_make();
	server = fuse_start(area.dir);
	if (server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	ASSERT_EQ(0, observe_open(o, 1000, PROFIL_OBSERVE_F_THREADS));
	pid = observe_start(o, 0, end_before_thread);
	while (!was_followed || o->map->followed) {
		usleep(20000);
		ASSERT_EQ(0, ioctl(o->fd, PROFIL_IOC_SWAP, &swap));
		ended = ended_threads(o, swap.quiet);
		was_followed |= o->map->followed || ended;
	}
	EXPECT_EQ(0, fuse_stop(&server, area.dir));
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(2, ended);
	area_remove(&area);
	observe_close(o);
}

#define LATE	600

static void end_before_many(void)
{
	pthread_t thread;
	int i, tries;

	never = map_unanswered(area.dir, NULL);
	if (never == MAP_FAILED)
		_exit(1);
	for (i = 0; i < LATE; i++) {
		late = 0;
		if (pthread_create(&thread, NULL, end_late_at_once, NULL))
			_exit(1);
		for (tries = 0; !late || !is_waiting(late); tries++)
			usleep(tries < 10 ? 100 : 10000);
	}
	burn_ms(50);
	syscall(SYS_exit, 0);
}

/* The last one looks at a part of them, because interrupts are off meanwhile. */
TEST_F(observe_ends, many_that_end_last_are_told_as_untold)
{
	struct profil_observe args = observe_args(1000);
	struct observer *o = self->o;
	struct fuse_server server;
	bool was_followed = false;
	pid_t pid;

	area = area_make();
	server = fuse_start(area.dir);
	if (server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	args.flags = PROFIL_OBSERVE_F_THREADS;
	args.images = 4 * LATE;
	ASSERT_EQ(0, observe_open_with(o, &args));
	pid = observe_start(o, 0, end_before_many);
	while (!was_followed || o->map->followed) {
		usleep(20000);
		ASSERT_EQ(0, observe_swap(o));
		was_followed |= o->map->followed || o->nr_images;
	}
	EXPECT_EQ(0, fuse_stop(&server, area.dir));
	EXPECT_EQ(0, end_of(pid));
	TH_LOG("%llu untold", o->sum.untold);
	EXPECT_EQ(1, o->sum.untold);
	area_remove(&area);
	observe_close(o);
}

TEST_HARNESS_MAIN
