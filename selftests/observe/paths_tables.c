// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables and maps of call paths: what may be given, what is refused, what they
 * cost, and what can be read of the observer.
 */
#include <sys/resource.h>

#include "paths_test.h"

#ifdef __LP64__

#define USER	1000

FIXTURE(paths_tables) {
	struct observer *o;
	uint32_t image;
	int mem;
	size_t bytes;
	char table[TABLE_MAX];
};

FIXTURE_SETUP(paths_tables)
{
	self->o = paths_follow(_metadata, 20, &self->image, &self->mem);
	self->bytes = table_of(self->table, paths_rows, PATHS_ROWS);
}

FIXTURE_TEARDOWN(paths_tables)
{
	paths_unfollow(self->o, self->mem);
}

TEST_F(paths_tables, bad_calls_are_refused)
{
	struct profil_unwind unwind = { .size = sizeof(unwind), .op = 4 };
	struct profil_observe flat = observe_args(1000), deep = flat;
	int fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	uint32_t object;

	EXPECT_EQ(EINVAL, unwind_object(fd, self->table, self->bytes, &object));
	deep.depth = 256;
	EXPECT_EQ(EOPNOTSUPP, observe_fd(fd, &deep));
	flat.depth = 1;
	ASSERT_EQ(0, observe_fd(fd, &flat));
	EXPECT_EQ(EINVAL, unwind_object(fd, self->table, self->bytes, &object));
	close(fd);
	fd = self->o->fd;
	EXPECT_EQ(-1, ioctl(fd, PROFIL_IOC_UNWIND, &unwind));
	EXPECT_EQ(EINVAL, errno);
	unwind.op = 0;
	EXPECT_EQ(-1, ioctl(fd, PROFIL_IOC_UNWIND, &unwind));
	EXPECT_EQ(EINVAL, errno);
	unwind.op = PROFIL_UNWIND_OBJECT;
	unwind.flags = 1;
	EXPECT_EQ(-1, ioctl(fd, PROFIL_IOC_UNWIND, &unwind));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(EINVAL, unwind_object(fd, self->table, 15, &object));
	EXPECT_EQ(E2BIG, unwind_object(fd, self->table,
				       PROFIL_UNWIND_BYTES_MAX + 1, &object));
	EXPECT_EQ(EFAULT, unwind_object(fd, NULL, self->bytes, &object));
	EXPECT_EQ(EINVAL, unwind_object(fd, self->table, self->bytes + 1,
					&object));
	EXPECT_EQ(ENOENT, unwind_drop(fd, 0));
	EXPECT_EQ(ENOENT, unwind_drop(fd, 12345));
}

TEST_F(paths_tables, bad_maps_are_refused)
{
	struct profil_unwind_map good[2] = {
		{ .start = 0x1000, .length = 0x1000 },
		{ .start = 0x2000, .length = 0x1000 },
	}, map[2];
	struct profil_unwind_map *many = calloc(PROFIL_UNWIND_MAPS_MAX + 1,
						sizeof(*many));
	uint32_t image = self->image, i;
	int fd = self->o->fd;

#define MAPS_ARE(err, change)						\
	do {								\
		memcpy(map, good, sizeof(good));			\
		change;							\
		EXPECT_EQ(err, unwind_maps(fd, image, self->mem, map, 2)); \
	} while (0)
	MAPS_ARE(0, (void)0);
	MAPS_ARE(EINVAL, map[0].length = 0);
	MAPS_ARE(EINVAL, map[0].length = 0x1001);
	MAPS_ARE(EINVAL, map[1].start = 0);
	MAPS_ARE(EINVAL, map[1].reserved = 1);
	MAPS_ARE(EINVAL, map[1].start = -1ULL);
	MAPS_ARE(EINVAL, map[1].start = 0xffff888000000000);
	MAPS_ARE(ENOENT, map[1].object = 77);
	MAPS_ARE(ENOENT, map[0].object = PROFIL_UNWIND_FRAME_POINTERS - 1);
	MAPS_ARE(0, map[0].object = PROFIL_UNWIND_FRAME_POINTERS);
	EXPECT_EQ(EFAULT, unwind_maps(fd, image, self->mem, NULL, 1));
	for (i = 0; i <= PROFIL_UNWIND_MAPS_MAX; i++)
		many[i] = (struct profil_unwind_map) {
			.start = 0x1000 * i,
			.length = 0x1000,
		};
	EXPECT_EQ(0, unwind_maps(fd, image, self->mem, many,
				 PROFIL_UNWIND_MAPS_MAX));
	EXPECT_EQ(E2BIG, unwind_maps(fd, image, self->mem, many,
				     PROFIL_UNWIND_MAPS_MAX + 1));
	free(many);
}

static bool is_readable(const int pipe[2], const char *at)
{
	char byte;

	return write(pipe[1], at, 1) == 1 && read(pipe[0], &byte, 1) == 1;
}

/* By the slots a program would find the secret; kept paths have kernel addresses. */
TEST_F(paths_tables, only_records_are_mapped)
{
	const struct profil_map *map = self->o->map;
	size_t records = map->threads_at +
			 map->threads * sizeof(struct profil_thread);
	size_t size = self->o->size + (4 << 20), at, pos;
	int mapped = 0, hidden = 0, wrong = 0, pipes[2];
	char *all = mmap(NULL, size, PROT_READ, MAP_SHARED, self->o->fd, 0);

	ASSERT_NE(MAP_FAILED, all);
	ASSERT_EQ(0, pipe(pipes));
	for (at = 0; at < size; at += PAGE) {
		pos = at < map->halves ? 0 : (at - map->halves) % map->half_size;
		if (at < self->o->size && pos < records)
			mapped++;
		else
			hidden++;
		wrong += is_readable(pipes, all + at) !=
			 (at < self->o->size && pos < records);
	}
	EXPECT_LT(0, mapped);
	EXPECT_LT(4 << 20, hidden * PAGE);
	EXPECT_EQ(0, wrong);
	close(pipes[0]);
	close(pipes[1]);
	munmap(all, size);
}

TEST_F(paths_tables, maps_of_another_need_its_memory)
{
	pid_t pid = fork();
	int fd = self->o->fd, mem;

	while (!pid)
		pause();
	mem = open_mem(pid);
	ASSERT_LE(0, mem);
	EXPECT_EQ(ESRCH, unwind_maps(fd, self->image, mem, NULL, 0));
	EXPECT_EQ(ESRCH, unwind_maps(fd, 0, self->mem, NULL, 0));
	EXPECT_EQ(ESRCH, unwind_maps(fd, self->image + 1, self->mem, NULL, 0));
	EXPECT_EQ(EBADF, unwind_maps(fd, self->image, -1, NULL, 0));
	EXPECT_EQ(EINVAL, unwind_maps(fd, self->image, fd, NULL, 0));
	EXPECT_EQ(0, unwind_maps(fd, self->image, self->mem, NULL, 0));
	kill(pid, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(pid));
	close(mem);
	/* Memory that was opened with other credentials. */
	pid = fork();
	if (!pid) {
		if (become_user(USER))
			_exit(1);
		_exit(unwind_maps(fd, self->image, self->mem, NULL, 0) != EPERM);
	}
	EXPECT_EQ(0, end_of(pid));
}

/* As a user with 64 KiB of memlock: tables count, and come back. */
TEST_F(paths_tables, tables_count_against_memlock)
{
	struct rlimit limit = { 64 << 10, 64 << 10 };
	pid_t pid = fork();
	uint32_t object, rows = 0;
	int i, err = 0;

	if (!pid) {
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || become_user(USER) ||
		    paths_open(self->o, 20))
			_exit(1);
		for (i = 0; !err && i < 100000; i++)
			err = unwind_object(self->o->fd, self->table,
					    self->bytes, &object);
		if (err != ENOMEM || i < 3)
			_exit(2);
		for (rows = 1; rows < (uint32_t)i; rows++)
			if (unwind_drop(self->o->fd, rows))
				_exit(3);
		for (rows = 1; rows < (uint32_t)i; rows++)
			if (unwind_object(self->o->fd, self->table, self->bytes,
					  &object))
				_exit(4);
		observe_close(self->o);
		for (i = 0; i < 50; i++) {
			if (paths_open(self->o, 20) ||
			    unwind_object(self->o->fd, self->table, self->bytes,
					  &object))
				_exit(5);
			observe_close(self->o);
		}
		_exit(0);
	}
	EXPECT_EQ(0, end_of(pid));
}

static void mutate(char *table, size_t bytes)
{
	int i;

	for (i = rand() % 4 + 1; i--;)
		table[rand() % bytes] ^= 1 << rand() % 8;
}

/* With what passes the check, the walk goes on: KASAN sees where. */
TEST_F(paths_tables, mutated_tables_do_no_harm)
{
	char table[TABLE_MAX];
	struct profil_unwind_map map;
	uint32_t object, passed = 0, i;

	for (i = 0; i < 3000; i++) {
		memcpy(table, self->table, self->bytes);
		mutate(table, self->bytes);
		if (unwind_object(self->o->fd, table, self->bytes, &object))
			continue;
		passed++;
		map = map_of(__start_paths, __stop_paths, object);
		map.offset = rand() % 3 ? 0 : rand();
		ASSERT_EQ(0, unwind_maps(self->o->fd, self->image, self->mem,
					 &map, 1));
		call_1(paths_top, 200000);
		ASSERT_EQ(0, unwind_drop(self->o->fd, object));
	}
	TH_LOG("%u of %u passed", passed, i);
	EXPECT_LT(0, passed);
	EXPECT_LT(passed, i);
	ASSERT_EQ(0, observe_read(self->o));
	EXPECT_TRUE(self->o->balanced);
}

#else

/* A tool may have 32 bits, as the layouts are the same. */
TEST(tool_of_32_bits_gives_a_table)
{
	struct {
		struct profil_unwind_table table;
		uint32_t index[2];
		struct profil_unwind_rule rule;
		uint16_t row_rule;
		uint8_t row_low;
	} __attribute__((packed)) one = {
		.table = { 1, 1, 1, EM_X86_64 },
		.index = { 0, 1 },
		.rule = { 8, 0, PROFIL_RULE_SP },
	};
	struct observer *o = calloc(1, sizeof(*o));
	uint32_t id;

	NEED_FINE_TIMERS();
	ASSERT_EQ(0, paths_open(o, 20));
	ASSERT_EQ(0, unwind_object(o->fd, &one, sizeof(one), &id));
	EXPECT_EQ(0, unwind_drop(o->fd, id));
	EXPECT_EQ(ENOENT, unwind_drop(o->fd, id));
	one.row_rule = 1;
	EXPECT_EQ(EINVAL, unwind_object(o->fd, &one, sizeof(one), &id));
}

#endif /* __LP64__ */

TEST_HARNESS_MAIN
