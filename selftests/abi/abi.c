// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ABI: sizes, reserved fields, unknown flags, features that do not exist
 * yet.
 */
#include <stddef.h>

#include "profil_test.h"

FIXTURE(abi) {
	void *buffer;
	struct profil_region region;
	struct profil_set set;
	struct profil_status status;
};

FIXTURE_SETUP(abi)
{
	self->buffer = map_buffer(PAGE);
	self->region = hot_region(self->buffer, 2);
	self->set = (struct profil_set) {
		.size = sizeof(self->set),
		.regions = addr(&self->region),
		.nr_regions = 1,
		.region_size = sizeof(self->region),
	};
	self->status = (struct profil_status) {
		.size = sizeof(self->status),
	};
}

FIXTURE_TEARDOWN(abi)
{
	stop();
	munmap(self->buffer, PAGE);
}

TEST_F(abi, layouts_are_the_same_for_32_and_64_bits)
{
	EXPECT_EQ(40, sizeof(struct profil_info));
	EXPECT_EQ(40, sizeof(struct profil_region));
	EXPECT_EQ(40, sizeof(struct profil_dump));
	EXPECT_EQ(56, sizeof(struct profil_set));
	EXPECT_EQ(64, sizeof(struct profil_books));
	EXPECT_EQ(24, sizeof(struct profil_region_status));
	EXPECT_EQ(112, sizeof(struct profil_status));
	EXPECT_EQ(48, offsetof(struct profil_status, books));
	EXPECT_EQ(32, sizeof(struct profil_observe));
	EXPECT_EQ(16, sizeof(struct profil_join));
	EXPECT_EQ(8, sizeof(struct profil_swap));
	EXPECT_EQ(16, sizeof(struct profil_node));
	EXPECT_EQ(640, sizeof(struct profil_image));
	EXPECT_EQ(24, sizeof(struct profil_end));
	EXPECT_EQ(48, sizeof(struct profil_thread));
	EXPECT_EQ(88, sizeof(struct profil_half));
	EXPECT_EQ(40, sizeof(struct profil_unwind));
	EXPECT_EQ(16, sizeof(struct profil_unwind_table));
	EXPECT_EQ(8, sizeof(struct profil_unwind_rule));
	EXPECT_EQ(24, sizeof(struct profil_unwind_map));
	EXPECT_EQ(120, sizeof(struct profil_map));
}

TEST_F(abi, info_tells_version_features_and_rate)
{
	struct profil_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_INFO, &info));
	EXPECT_EQ(PROFIL_ABI_VERSION, info.abi_version);
	EXPECT_NE(0, info.features & PROFIL_FEAT_WIDTH_2);
	EXPECT_EQ(1024, info.max_regions);
	EXPECT_LE(100, info.hz);
	EXPECT_GE(1000, info.hz);
	EXPECT_EQ(info.hz, query().hz);
}

TEST_F(abi, a_set_that_is_right_is_taken)
{
	EXPECT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
	EXPECT_EQ(PROFIL_STATE_ON, query().state);
	EXPECT_EQ(1, query().nr_regions);
}

TEST_F(abi, an_unknown_ioctl_is_enotty)
{
	EXPECT_EQ(ENOTTY, do_ioctl(_IO(PROFIL_IOC_TYPE, 0x7f), &self->set));
}

TEST_F(abi, ioctl_number_has_direction_and_size)
{
	EXPECT_EQ(_IOC_READ | _IOC_WRITE, _IOC_DIR(PROFIL_IOC_INFO));
	EXPECT_EQ(_IOC_WRITE, _IOC_DIR(PROFIL_IOC_SET));
	EXPECT_EQ(_IOC_READ | _IOC_WRITE, _IOC_DIR(PROFIL_IOC_STOP));
	EXPECT_EQ(_IOC_READ | _IOC_WRITE, _IOC_DIR(PROFIL_IOC_QUERY));
	EXPECT_EQ(sizeof(struct profil_info), _IOC_SIZE(PROFIL_IOC_INFO));
	EXPECT_EQ(sizeof(struct profil_set), _IOC_SIZE(PROFIL_IOC_SET));
	EXPECT_EQ(sizeof(struct profil_status), _IOC_SIZE(PROFIL_IOC_STOP));
	EXPECT_EQ(sizeof(struct profil_status), _IOC_SIZE(PROFIL_IOC_QUERY));
}

/* A program that was built with a newer header has a larger struct. */
TEST_F(abi, ioctl_number_of_any_size_accepted)
{
	unsigned int all = _IOC_SIZEMASK << _IOC_SIZESHIFT;
	unsigned int set = PROFIL_IOC_SET & ~all, info = PROFIL_IOC_INFO;
	struct profil_info known = { .size = sizeof(known) };

	EXPECT_EQ(0, do_ioctl(set, &self->set));
	EXPECT_EQ(PROFIL_STATE_ON, query().state);
	EXPECT_EQ(0, do_ioctl(info | all, &known));
	EXPECT_EQ(PROFIL_ABI_VERSION, known.abi_version);
}

TEST_F(abi, ioctl_of_other_direction_is_enotty)
{
	EXPECT_EQ(ENOTTY, do_ioctl(_IO(PROFIL_IOC_TYPE, 1), &self->set));
	EXPECT_EQ(ENOTTY, do_ioctl(_IOR(PROFIL_IOC_TYPE, 1, self->set),
				   &self->set));
}

TEST_F(abi, a_short_struct_is_einval)
{
	/* What was published first had 24 bytes. */
	struct profil_info info = { .size = 23 };

	self->set.size--;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->set.size = 0;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->status.size--;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_STOP, &self->status));
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_QUERY, &self->status));
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_INFO, &info));
}

TEST_F(abi, longer_struct_with_zero_rest_accepted)
{
	struct {
		struct profil_set set;
		uint64_t more;
	} longer = { .set = self->set };

	longer.set.size = sizeof(longer);
	EXPECT_EQ(0, do_ioctl(PROFIL_IOC_SET, &longer));
	longer.more = 1;
	EXPECT_EQ(E2BIG, do_ioctl(PROFIL_IOC_SET, &longer));
	self->set.size = UINT32_MAX;
	EXPECT_EQ(E2BIG, do_ioctl(PROFIL_IOC_SET, &self->set));
}

TEST_F(abi, output_unknown_to_kernel_is_zero)
{
	struct {
		struct profil_info info;
		uint64_t more;
	} longer = { .info.size = sizeof(longer) };

	EXPECT_EQ(0, do_ioctl(PROFIL_IOC_INFO, &longer));
	EXPECT_EQ(0, longer.more);
	EXPECT_EQ(sizeof(longer), longer.info.size);
}

TEST_F(abi, unknown_flags_and_reserved_are_einval)
{
	self->set.flags = 1U << 31;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->set.flags = 0;
	self->set.reserved = 1;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->set.reserved = 0;
	self->region.flags = 1U << 31;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->region.flags = 0;
	self->region.reserved = 1;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->status.flags = PROFIL_F_USER_ONLY;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_QUERY, &self->status));
	self->status.flags = 0;
	self->status.reserved = 1;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_STOP, &self->status));
	EXPECT_EQ(PROFIL_STATE_OFF, query().state);
}

TEST_F(abi, jitter_and_target_are_eopnotsupp)
{
	uint32_t *fields[] = {
		&self->set.rate_jitter, &self->set.target_type,
		(uint32_t *)&self->set.target,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		*fields[i] = 1;
		EXPECT_EQ(EOPNOTSUPP, do_ioctl(PROFIL_IOC_SET, &self->set));
		*fields[i] = 0;
	}
	self->status.target_type = PROFIL_TARGET_PIDFD;
	EXPECT_EQ(EOPNOTSUPP, do_ioctl(PROFIL_IOC_QUERY, &self->status));
	EXPECT_EQ(EOPNOTSUPP, do_ioctl(PROFIL_IOC_STOP, &self->status));
}

TEST_F(abi, no_regions_is_einval_and_too_many_e2big)
{
	self->set.nr_regions = 0;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->set.nr_regions = 1025;
	EXPECT_EQ(E2BIG, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->set.nr_regions = 1;
	self->set.region_size--;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_SET, &self->set));
}

/* A stride of gigabytes would be read or zeroed without an end. */
TEST_F(abi, a_region_size_past_a_page_is_e2big)
{
	self->set.region_size = PAGE + 1;
	EXPECT_EQ(E2BIG, do_ioctl(PROFIL_IOC_SET, &self->set));
	self->status.nr_regions = 1;
	self->status.regions = addr(self->buffer);
	self->status.region_size = PAGE + 1;
	EXPECT_EQ(E2BIG, do_ioctl(PROFIL_IOC_QUERY, &self->status));
	self->status.region_size = PAGE;
	EXPECT_EQ(0, do_ioctl(PROFIL_IOC_QUERY, &self->status));
}

TEST_F(abi, garbage_pointers_are_efault)
{
	static const uint64_t garbage[] = {
		0, 1, 0x1000, UINT64_MAX, 0xffff888000000000, 1ULL << 47,
		0x8000000000000000,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(garbage); i++) {
		EXPECT_EQ(EFAULT, do_ioctl(PROFIL_IOC_SET,
					   (void *)(uintptr_t)garbage[i]));
		self->set.regions = garbage[i];
		EXPECT_EQ(EFAULT, do_ioctl(PROFIL_IOC_SET, &self->set));
	}
}

TEST_F(abi, unwritable_answer_keeps_profile)
{
	struct profil_status *readonly = map_buffer(PAGE);

	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
	*readonly = self->status;
	ASSERT_EQ(0, mprotect(readonly, PAGE, PROT_READ));
	EXPECT_EQ(EFAULT, do_ioctl(PROFIL_IOC_STOP, readonly));
	EXPECT_EQ(PROFIL_STATE_ON, query().state);

	self->status.nr_regions = 1;
	self->status.region_size = sizeof(struct profil_region_status);
	self->status.regions = addr(readonly);
	EXPECT_EQ(EFAULT, do_ioctl(PROFIL_IOC_STOP, &self->status));
	EXPECT_EQ(PROFIL_STATE_ON, query().state);
	munmap(readonly, PAGE);
}

TEST_F(abi, stopping_twice_is_no_error)
{
	struct profil_status status;

	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_SET, &self->set));
	status = stop();
	EXPECT_EQ(PROFIL_STATE_ON, status.state);
	EXPECT_EQ(1, status.nr_regions);
	status = stop();
	EXPECT_EQ(PROFIL_STATE_OFF, status.state);
	EXPECT_EQ(0, status.nr_regions);
	EXPECT_EQ(0, status.books.seen);
}

TEST_F(abi, regions_beyond_room_only_counted)
{
	struct profil_region regions[3] = { self->region, self->region,
					    self->region };
	struct profil_region_status status[3];

	memset(status, 0xff, sizeof(status));
	ASSERT_EQ(0, set_regions(regions, 3));
	EXPECT_EQ(3, ask(PROFIL_IOC_QUERY, 0, status, 2).nr_regions);
	EXPECT_EQ(PROFIL_STATE_ON, status[1].state);
	EXPECT_EQ(UINT32_MAX, status[2].state);
	EXPECT_EQ(3, ask(PROFIL_IOC_QUERY, 0, status, 3).nr_regions);
	EXPECT_EQ(PROFIL_STATE_ON, status[2].state);
}

TEST_HARNESS_MAIN
