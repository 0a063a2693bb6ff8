// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ABI as it grows: structs and array elements longer than those that this
 * kernel knows.
 */
#include "profil_test.h"

FIXTURE(abi_longer) {
	char *buffer;
};

FIXTURE_SETUP(abi_longer)
{
	self->buffer = map_buffer(2 * PAGE);
}

FIXTURE_TEARDOWN(abi_longer)
{
	stop();
	munmap(self->buffer, 2 * PAGE);
}

TEST_F(abi_longer, struct_longer_than_page_is_e2big)
{
	struct profil_region region = all_region(self->buffer, 8);
	struct profil_set *set = map_buffer(4 * PAGE);

	*set = (struct profil_set) {
		.size = PAGE + 8,
		.regions = addr(&region),
		.nr_regions = 1,
		.region_size = sizeof(region),
	};
	EXPECT_EQ(E2BIG, do_ioctl(PROFIL_IOC_SET, set));
	munmap(set, 4 * PAGE);
}

TEST_F(abi_longer, longer_regions_with_zero_rest_accepted)
{
	struct {
		struct profil_region region;
		uint64_t more;
	} *longer = map_buffer(2 * PAGE);
	struct profil_set set = {
		.size = sizeof(set),
		.regions = addr(longer),
		.nr_regions = 2,
		.region_size = sizeof(*longer),
	};

	longer[0].region = hot_region(self->buffer, 2);
	longer[1].region = all_region(self->buffer + PAGE, 8);
	EXPECT_EQ(0, do_ioctl(PROFIL_IOC_SET, &set));
	EXPECT_EQ(2, query().nr_regions);
	longer[1].more = 1;
	EXPECT_EQ(E2BIG, do_ioctl(PROFIL_IOC_SET, &set));
	longer[1].more = 0;
	/* All zero, so that only its length can be refused. */
	set.nr_regions = 1;
	set.region_size = PAGE + 1;
	memset(&longer[1], 0, sizeof(longer[1]));
	EXPECT_EQ(E2BIG, do_ioctl(PROFIL_IOC_SET, &set));
	munmap(longer, 2 * PAGE);
}

TEST_F(abi_longer, rest_of_longer_region_status_is_zero)
{
	struct {
		struct profil_region_status status;
		uint64_t more;
	} longer[2];
	struct profil_status status = {
		.size = sizeof(status),
		.regions = addr(longer),
		.nr_regions = 2,
		.region_size = sizeof(*longer),
	};

	memset(longer, 0xff, sizeof(longer));
	ASSERT_EQ(0, set_region(all_region(self->buffer, 8)));
	ASSERT_EQ(0, do_ioctl(PROFIL_IOC_QUERY, &status));
	EXPECT_EQ(0, longer[0].more);
	EXPECT_EQ(UINT64_MAX, longer[1].more);
	status.nr_regions = 1;
	status.region_size = sizeof(longer[0].status) - 1;
	EXPECT_EQ(EINVAL, do_ioctl(PROFIL_IOC_QUERY, &status));
	status.region_size = sizeof(longer[0].status);
	status.target = 1;
	EXPECT_EQ(EOPNOTSUPP, do_ioctl(PROFIL_IOC_QUERY, &status));
}

TEST_HARNESS_MAIN
