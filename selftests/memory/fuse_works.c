// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that wait for a FUSE server while they hold locks that the module's
 * workers need: no worker waits for them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "fuse_test.h"
#include "machine_test.h"

#define CHILDREN	40
#define WORKERS		4	/* that a user may have */
#define WORKERS_MAX	64	/* that are listed */
#define FEW		10	/* of five looks at WORKERS */

FIXTURE(fuse_works) {
	struct dump_area area;
	struct dump_area well;
	struct fuse_server server;
};

FIXTURE_SETUP(fuse_works)
{
	self->area = area_make();
	self->well = area_make();
	self->server = fuse_start(self->area.dir);
}

FIXTURE_TEARDOWN(fuse_works)
{
	EXPECT_EQ(0, fuse_stop(&self->server, self->area.dir));
	area_remove(&self->area);
	area_remove(&self->well);
}

/* Holds mmap_lock until the page comes, or the server has ended. */
static void *peek(void *at)
{
	char byte;
	int fd = open("/proc/self/mem", O_RDONLY);

	return pread64(fd, &byte, 1, (uintptr_t)at) == 1 ? at : NULL;
}

static void *hold(void *at)
{
	if (!peek(at))
		_exit(3);
	return NULL;
}

/* The region has the hot text alone: no sample before the thread has mmap_lock. */
static void sample_and_hold(void *never)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold, never);
	usleep(500000);
	run_ticks(25);
	for (;;)
		pause();
}

struct worker {
	int pid;
	unsigned long switches;
};

/* The workers that are in the module, and how often each has slept. */
static int list_workers(struct worker *list)
{
	char name[300], line[200];
	glob_t names;
	FILE *file;
	size_t i;
	int n = 0;

	if (glob("/proc/[0-9]*/stack", 0, NULL, &names))
		return 0;
	for (i = 0; i < names.gl_pathc && n < WORKERS_MAX; i++) {
		const char *stack = stack_of(names.gl_pathv[i]);

		if (!strstr(stack, "kthread") || !strstr(stack, "[profil]"))
			continue;
		list[n].pid = atoi(names.gl_pathv[i] + strlen("/proc/"));
		snprintf(name, sizeof(name), "/proc/%d/status", list[n].pid);
		file = fopen(name, "r");
		while (file && fgets(line, sizeof(line), file))
			if (sscanf(line, "voluntary_ctxt_switches: %lu",
				   &list[n].switches) == 1)
				break;
		if (file) {
			fclose(file);
			n++;
		}
	}
	globfree(&names);
	return n;
}

/* At five looks.  One that tries a lock again sleeps in between. */
static int workers_stuck(void)
{
	struct worker before[WORKERS_MAX], after[WORKERS_MAX];
	int looks, nr, i, j, n = 0;

	for (looks = 0; looks < 5; looks++) {
		nr = list_workers(before);
		usleep(500000);
		for (i = list_workers(after); i--;)
			for (j = 0; j < nr; j++)
				n += after[i].pid == before[j].pid &&
				     after[i].switches == before[j].switches;
	}
	return n;
}

TEST_F(fuse_works, worker_is_done_beside_a_held_mmap_lock)
{
	pid_t pid;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	pid = fork();
	if (!pid) {
		char *buffer = map_file(self->area.dir, "answered", NULL);
		char *never = map_file(self->area.dir, "unanswered", NULL);
		pthread_t thread;

		if (set_region(all_region(buffer, 8)))
			_exit(1);
		burn(2);
		pthread_create(&thread, NULL, hold, never);
		sleep(1);
		if (madvise(buffer, PAGE, MADV_DONTNEED))
			_exit(2);
		for (;;)
			hot_a(1000000);
	}
	/* A missing page is tried again for 5 seconds. */
	sleep(8);
	EXPECT_GT(3, workers_stuck());
	kill(pid, SIGKILL);
	kill(self->server.pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
}

TEST_F(fuse_works, worker_begins_no_profile_by_waiting)
{
	char *buffer = map_buffer(PAGE), *never;
	pid_t pids[CHILDREN];
	int i;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	never = map_unanswered(self->area.dir, NULL);
	ASSERT_NE(MAP_FAILED, never);
	ASSERT_EQ(0, set_region(hot_region(buffer, 8)));
	for (i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (!pids[i])
			sample_and_hold(never);
	}
	stop();
	for (i = 0; i < 100 && listed_pending() < CHILDREN / 2; i++)
		usleep(100000);
	EXPECT_LT(WORKERS, listed_pending());
	EXPECT_GT(FEW, workers_stuck());
	/* They are not begun yet: the workers did try meanwhile. */
	EXPECT_LT(WORKERS, listed_pending());
	for (i = 0; i < CHILDREN; i++)
		kill(pids[i], SIGKILL);
	kill(self->server.pid, SIGKILL);
	for (i = 0; i < CHILDREN; i++)
		EXPECT_EQ(pids[i], waitpid(pids[i], NULL, 0));
	munmap(buffer, PAGE);
}

static atomic_int ready, go;

/* While this waits to write, no other reader gets mmap_lock. */
static void *change_mappings(void *unused)
{
	while (!go)
		usleep(1000);
	map_buffer(PAGE);
	return NULL;
}

/*
 * The page goes; a refresh misses it; then mmap_lock keeps refreshes away for
 * more than 5 seconds; one misses it again; the page comes back.
 */
static int miss_twice(const char *dir, pid_t server)
{
	volatile char *buffer = map_file(dir, "answered", NULL);
	void *never = map_file(dir, "unanswered", NULL), *came;
	pthread_t holder, changer;
	struct profil_status status;
	int i;

	if (set_region(all_region((void *)buffer, 8)))
		return 1;
	burn(2);
	pthread_create(&changer, NULL, change_mappings, NULL);
	pthread_create(&holder, NULL, peek, never);
	usleep(200000);
	if (madvise((void *)buffer, PAGE, MADV_DONTNEED))
		return 2;
	for (i = 0; i < 10; i++)
		hot_a(1000000);
	go = 1;
	sleep(6);
	kill(server, SIGKILL);
	pthread_join(holder, &came);
	pthread_join(changer, NULL);
	if (came)
		return 3;
	usleep(400000);
	*buffer = 0;
	status = stop();
	return status.state == PROFIL_STATE_ON && balanced(&status.books) ?
	       0 : 4;
}

TEST_F(fuse_works, impossible_refresh_switches_nothing_off)
{
	pid_t pid;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	pid = fork();
	if (!pid)
		_exit(miss_twice(self->area.dir, self->server.pid));
	EXPECT_EQ(0, end_of(pid));
}

static void *count_alone(void *buffer)
{
	struct profil_region region = all_region(buffer, 8);

	if (set_flags(&region, 1, PROFIL_F_THREAD))
		_exit(1);
	ready = 1;
	while (!go)
		usleep(1000);
	/* By system call, because the library would change mappings. */
	syscall(SYS_exit, 0);
	return NULL;
}

static void end_thread(void *never)
{
	pthread_t thread;

	pthread_create(&thread, NULL, count_alone, map_buffer(PAGE));
	while (!ready)
		usleep(1000);
	pthread_create(&thread, NULL, hold, never);
	sleep(2);
	go = 1;
	for (;;)
		pause();
}

TEST_F(fuse_works, worker_ends_no_profile_by_waiting)
{
	long before = module_uses();
	pid_t pids[CHILDREN];
	int i, tries;
	char *never;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	never = map_unanswered(self->area.dir, NULL);
	ASSERT_NE(MAP_FAILED, never);
	for (i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (!pids[i])
			end_thread(never);
	}
	sleep(4);
	EXPECT_GT(FEW, workers_stuck());
	for (i = 0; i < CHILDREN; i++)
		kill(pids[i], SIGKILL);
	kill(self->server.pid, SIGKILL);
	for (i = 0; i < CHILDREN; i++)
		EXPECT_EQ(SIGKILL, end_of(pids[i]));
	for (tries = 0; tries < 3000 && module_uses() > before; tries++)
		usleep(10000);
	EXPECT_GE(before, module_uses());
}

static char *shared;

static void *write_back(void *unused)
{
	msync(shared, PAGE, MS_SYNC);
	return NULL;
}

static void *store(void *unused)
{
	shared[1] = 1;
	return NULL;
}

/* A store that waits until the page is written back may lock its mapping. */
static void set_beside_store(const char *dir, char *buffer)
{
	pthread_t thread;
	char name[60];

	snprintf(name, sizeof(name), "%s/answered", dir);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		      open(name, O_RDWR), 0);
	if (shared == MAP_FAILED)
		_exit(1);
	shared[0] = 1;
	pthread_create(&thread, NULL, write_back, NULL);
	sleep(1);
	pthread_create(&thread, NULL, store, NULL);
	sleep(1);
	set_region(all_region(buffer, 8));
	for (;;)
		pause();
}

TEST_F(fuse_works, waiting_call_keeps_no_other_waiting)
{
	char *buffer = map_buffer(PAGE);
	pid_t pid, other;
	int status = -1, tries;

	if (self->server.connection < 0)
		SKIP(return, "a kernel without FUSE");
	pid = fork();
	if (!pid)
		set_beside_store(self->area.dir, buffer);
	sleep(4);
	other = fork();
	if (!other)
		_exit(set_region(all_region(buffer, 8)));
	for (tries = 0; tries < 300 && !waitpid(other, &status, WNOHANG); tries++)
		usleep(100000);
	EXPECT_GT(300, tries);
	EXPECT_EQ(0, status);
	kill(pid, SIGKILL);
	kill(self->server.pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
	if (status)
		waitpid(other, NULL, 0);
	munmap(buffer, PAGE);
}

TEST_HARNESS_MAIN
