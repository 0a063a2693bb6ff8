/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of the dump: a directory, a child that asks for a file and then
 * runs the code of a test, and the file that it leaves.
 */
#ifndef PROFIL_DUMP_TEST_H
#define PROFIL_DUMP_TEST_H

#include <dirent.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "machine_test.h"

#define AREA	(3 * PAGE)
#define HEAD	16U

/* Not at the beginning of a page, and in part never touched. */
struct dump_area {
	char *map;
	char *bytes;
	uint32_t *len;
	char dir[40];
	char comm[16];
};

static inline struct dump_area area_make(void)
{
	struct dump_area area = { .dir = "/tmp/profil_dump_XXXXXX" };

	area.map = map_buffer(AREA + 3 * PAGE);
	area.bytes = area.map + 100;
	area.len = (uint32_t *)(area.map + AREA + PAGE);
	if (!mkdtemp(area.dir)) {
		ksft_print_msg("mkdtemp: %s\n", strerror(errno));
		exit(KSFT_FAIL);
	}
	return area;
}

static inline void area_remove(struct dump_area *area)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -rf %s", area->dir);
	if (system(command))
		ksft_print_msg("cannot remove %s\n", area->dir);
	munmap(area->map, AREA + 3 * PAGE);
}

/* The bytes that a test expects to find again; the counter lies past them. */
static inline void area_fill(struct dump_area *area)
{
	size_t i;

	for (i = 0; i < PAGE; i++)
		area->bytes[i] = 'a' + i % 23;
	for (i = AREA - 200; i < AREA - 100; i++)
		area->bytes[i] = 'A' + i % 23;
}

static inline struct profil_dump area_dump(struct dump_area *area, int dirfd)
{
	return (struct profil_dump) {
		.self_size = sizeof(struct profil_dump),
		.dirfd = dirfd,
		.addr = addr(area->bytes),
		.size = AREA,
		.len = addr(area->len),
		.head = HEAD,
	};
}

static inline int set_dump(struct profil_dump *dump, void *counter)
{
	struct profil_region region = all_region(counter, 8);
	struct profil_set set = {
		.size = sizeof(set),
		.regions = addr(&region),
		.nr_regions = 1,
		.region_size = sizeof(region),
		.dump = addr(dump),
	};

	return do_ioctl(PROFIL_IOC_SET, &set);
}

static inline void *area_counter(struct dump_area *area)
{
	return area->map + AREA + 2 * PAGE;
}

/* In the calling process: asks for all of the area, in its directory. */
static inline int area_set(struct dump_area *area)
{
	int fd = open(area->dir, O_RDONLY | O_DIRECTORY);
	struct profil_dump dump = area_dump(area, fd);
	int ret = fd < 0 ? errno : set_dump(&dump, area_counter(area));

	close(fd);
	return ret;
}

static inline void area_complete(struct dump_area *area)
{
	area_fill(area);
	*area->len = AREA - HEAD;
}

/* The first steps of most children. */
static inline void ask_and_complete(struct dump_area *area)
{
	if (area_set(area))
		_exit(1);
	area_complete(area);
}

static inline char *area_name(struct dump_area *area, pid_t pid)
{
	static char name[100];

	if (!area->comm[0])
		prctl(PR_GET_NAME, area->comm);
	snprintf(name, sizeof(name), "%s/gmon.%s.%d.out", area->dir,
		 area->comm, pid);
	return name;
}

/* 1 if the file is the area as it was filled, 0 if there is no file. */
static inline int area_written(struct dump_area *area, pid_t pid)
{
	static char bytes[AREA + 1];
	char *name = area_name(area, pid);
	int fd = open(name, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	area_fill(area);
	if (n == AREA && !memcmp(bytes, area->bytes, AREA))
		return 1;
	ksft_print_msg("%s: %zd bytes, or others\n", name, n);
	return -1;
}

static inline int area_files(struct dump_area *area)
{
	DIR *dir = opendir(area->dir);
	int n = 0;

	if (!dir)
		return -1;
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/*
 * A FUSE file system; the server is the holder of this descriptor.  -1: error.
 */
static inline int mount_fuse(const char *dir)
{
	char options[80];
	int fd;

	if (system("modprobe -q fuse"))
		ksft_print_msg("no modprobe\n");
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (fd >= 0 && mount("profil", dir, "fuse", 0, options)) {
		ksft_print_msg("mount: %s\n", strerror(errno));
		exit(KSFT_FAIL);
	}
	return fd;
}

/* Unmounts; a holder of a file there lets go in a moment. */
static inline bool unmounts(const char *dir)
{
	int tries;

	for (tries = 0; tries < 6000; tries++) {
		if (!umount(dir))
			return true;
		usleep(10000);
	}
	umount2(dir, MNT_DETACH);
	return false;
}

/* Runs statements in a child and returns its pid after its end. */
#define ENDED_CHILD(...) ({						\
	pid_t __pid = fork();						\
									\
	if (!__pid) {							\
		__VA_ARGS__;						\
		_exit(0);						\
	}								\
	waitpid(__pid, &self->status, 0);				\
	__pid;								\
})

static inline void *spin(void *arg)
{
	for (;;)
		hot_a(1000);
	return arg;
}

/* This process has every CPU: a worker runs only between its turns. */
static inline void keep_cpu(long cpu)
{
	if (run_alone_on(cpu))
		_exit(10);
}

static int nr_kept;

static inline void *spin_there(void *cpu)
{
	keep_cpu((intptr_t)cpu);
	__atomic_add_fetch(&nr_kept, 1, __ATOMIC_RELAXED);
	for (;;)
		hot_a(1000);
	return NULL;
}

static inline void keep_cpus(void)
{
	long cpu, nr = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread;

	for (cpu = 1; cpu < nr; cpu++)
		pthread_create(&thread, NULL, spin_there, (void *)cpu);
	/* The others sleep until this process lets them run. */
	while (__atomic_load_n(&nr_kept, __ATOMIC_RELAXED) < nr - 1)
		usleep(100);
	keep_cpu(0);
}

#endif /* PROFIL_DUMP_TEST_H */
