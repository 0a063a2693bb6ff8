// SPDX-License-Identifier: GPL-2.0-only
/*
 * Movable memory is not pinned (boot with movablecore=), and secret memory is
 * refused (boot with secretmem.enable=1).
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "dump_test.h"

#ifndef SYS_memfd_secret
#define SYS_memfd_secret	447
#endif

#define PAGES	64

FIXTURE(memory) {
	char *buffer;
};

FIXTURE_SETUP(memory)
{
	self->buffer = map_buffer(PAGES * PAGE);
}

FIXTURE_TEARDOWN(memory)
{
	stop();
	munmap(self->buffer, PAGES * PAGE);
}

struct zone {
	uint64_t start;		/* page frames */
	uint64_t size;
};

/* ZONE_MOVABLE; its size is 0 where there is no such zone. */
static struct zone movable_zone(void)
{
	FILE *f = fopen("/proc/zoneinfo", "r");
	struct zone zone = { 0 };
	bool inside = false;
	uint64_t value;
	char line[200];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "Node", 4))
			inside = strstr(line, "Movable");
		else if (inside && sscanf(line, " spanned %" PRIu64,
					  &value) == 1)
			zone.size = value;
		else if (inside && sscanf(line, " start_pfn: %" PRIu64,
					  &value) == 1)
			zone.start = value;
	}
	if (f)
		fclose(f);
	return zone;
}

/* How many of the buffer's pages are in the zone. */
static int movable(const char *buffer)
{
	struct zone zone = movable_zone();
	int fd = open("/proc/self/pagemap", O_RDONLY), n = 0, i;
	uint64_t entries[PAGES];
	off_t pos = addr(buffer) / PAGE * sizeof(*entries);

	if (pread(fd, entries, sizeof(entries), pos) != sizeof(entries))
		exit(KSFT_FAIL);
	close(fd);
	for (i = 0; i < PAGES; i++) {
		uint64_t frame = entries[i] & ((1ULL << 55) - 1);

		n += frame - zone.start < zone.size;
	}
	return n;
}

static struct profil_region large_region(void *buffer)
{
	struct profil_region region = hot_region(buffer, 8);

	region.size = PAGES * PAGE;
	return region;
}

/* A sample makes the module pin the pages. */
static void wait_for_sample(void)
{
	uint64_t before = query().books.binned;

	while (query().books.binned == before)
		hot_a(200000);
}

/* Before Linux 5.13 only CMA was left. */
static bool pins_movable_memory(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	uname(&name);
	if (sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return true;
	return major < 5 || (major == 5 && minor < 13);
}

/* Why the test can't run; NULL if part of the buffer is in the zone. */
static const char *no_movable(char *buffer)
{
	if (!movable_zone().size)
		return "not booted with movablecore=";
	if (pins_movable_memory())
		return "a kernel that pins it where it is";
	memset(buffer, 0, PAGES * PAGE);
	if (!movable(buffer))
		exit(KSFT_FAIL);
	return NULL;
}

TEST_F(memory, a_buffer_leaves_the_movable_zone)
{
	const char *why = no_movable(self->buffer);

	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, set_region(large_region(self->buffer)));
	EXPECT_EQ(0, movable(self->buffer));
}

TEST_F(memory, buffer_pinned_again_leaves_zone)
{
	const char *why = no_movable(self->buffer);

	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, set_region(large_region(self->buffer)));
	ASSERT_EQ(0, madvise(self->buffer, PAGES * PAGE, MADV_DONTNEED));
	memset(self->buffer, 0, PAGES * PAGE);
	wait_for_sample();
	EXPECT_EQ(0, movable(self->buffer));
}

TEST_F(memory, a_childs_buffer_leaves_it_too)
{
	const char *why = no_movable(self->buffer);

	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, set_region(large_region(self->buffer)));
	EXPECT_CHILD({
		wait_for_sample();
		_exit(movable(self->buffer));
	});
}

static void *map_secret(void)
{
	int fd = syscall(SYS_memfd_secret, 0);
	void *secret;

	if (fd < 0 || ftruncate(fd, 2 * PAGE))
		return MAP_FAILED;
	secret = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	close(fd);
	return secret;
}

TEST_F(memory, secret_memory_refused_as_buffer)
{
	char *secret = map_secret();

	if (secret == MAP_FAILED)
		SKIP(return, "no secret memory");
	EXPECT_EQ(EOPNOTSUPP, set_region(all_region(secret, 8)));
	munmap(secret, 2 * PAGE);
}

TEST_F(memory, secret_memory_is_not_dumped)
{
	struct dump_area area = area_make();
	char *secret = map_secret();
	struct profil_dump dump = area_dump(&area, -1);

	if (secret == MAP_FAILED) {
		area_remove(&area);
		SKIP(return, "no secret memory");
	}
	dump.addr = addr(secret);
	dump.size = 2 * PAGE;
	EXPECT_EQ(EOPNOTSUPP, set_dump(&dump, self->buffer));
	area_remove(&area);
	munmap(secret, 2 * PAGE);
}

TEST_HARNESS_MAIN
