// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tagged addresses (arm64's tagged address ABI, x86's LAM) mean the addresses
 * without their tags.
 */
#include <sys/syscall.h>

#include "dump_test.h"

FIXTURE(tags) {
	struct dump_area area;
	const char *why;
	int status;
};

#if defined(__aarch64__)
#define TAG	(0x5aULL << 56)

static const char *allow_tags(void)
{
	return prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0) ?
		"a kernel without tagged addresses" : NULL;
}
#elif defined(__x86_64__)
#define TAG	(0x2aULL << 57)

#ifndef ARCH_ENABLE_TAGGED_ADDR
#define ARCH_ENABLE_TAGGED_ADDR	0x4002
#endif

static const char *allow_tags(void)
{
	return syscall(SYS_arch_prctl, ARCH_ENABLE_TAGGED_ADDR, 6UL) ?
		"a CPU or a kernel without linear address masking" : NULL;
}
#else
#define TAG	0ULL

static const char *allow_tags(void)
{
	return "addresses have no room for tags";
}
#endif

FIXTURE_SETUP(tags)
{
	self->area = area_make();
	self->why = allow_tags();
}

FIXTURE_TEARDOWN(tags)
{
	area_remove(&self->area);
}

TEST_F(tags, buffer_address_tag_ignored)
{
	void *buffer = area_counter(&self->area);
	struct profil_region region = all_region(buffer, 8);

	if (self->why)
		SKIP(return, "%s", self->why);
	region.base |= TAG;
	ASSERT_EQ(0, set_region(region));
	burn(3);
	EXPECT_EQ(stop().books.binned, counter(buffer, 8, 0));
}

/* In a child: the first call has tags, and the second means the same. */
static void ask_with_tags(struct dump_area *area)
{
	int dir = open(area->dir, O_RDONLY | O_DIRECTORY);
	struct profil_dump dump = area_dump(area, dir);

	dump.addr |= TAG;
	dump.len |= TAG;
	if (set_dump(&dump, area_counter(area)))
		_exit(1);
	dump.addr &= ~TAG;
	if (set_dump(&dump, area_counter(area)))
		_exit(2);
	area_complete(area);
}

TEST_F(tags, dump_address_tag_ignored)
{
	pid_t pid;

	if (self->why)
		SKIP(return, "%s", self->why);
	pid = ENDED_CHILD(ask_with_tags(&self->area));
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
}

TEST_HARNESS_MAIN
