// SPDX-License-Identifier: MIT
/*
 * The four ioctls, for a tool that watches system calls: with structs that are
 * right, one that is not initialised, or one that is too short.
 *
 *	ioctls right | uninitialised | short
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <profil/ioctl.h>

static __u32 bins[1024];

static int all_four(int fd)
{
	struct profil_region region = { .base = (unsigned long)bins,
		.size = sizeof(bins), .offset = (unsigned long)all_four,
		.scale = 0x10000, .width = 4 };
	struct profil_set set = { .size = sizeof(set), .nr_regions = 1,
		.regions = (unsigned long)&region,
		.region_size = sizeof(region) };
	struct profil_status status = { .size = sizeof(status) };
	struct profil_status end = { .size = sizeof(end) };
	struct profil_info info = { .size = sizeof(info) };

	return ioctl(fd, PROFIL_IOC_INFO, &info) || !info.hz ||
	       ioctl(fd, PROFIL_IOC_SET, &set) ||
	       ioctl(fd, PROFIL_IOC_QUERY, &status) ||
	       status.state != PROFIL_STATE_ON ||
	       ioctl(fd, PROFIL_IOC_STOP, &end) || end.hz != info.hz;
}

int main(int argc, char **argv)
{
	int fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	struct profil_set *set = malloc(sizeof(*set));
	__u32 *alone = malloc(sizeof(*alone));

	if (argc != 2 || fd < 0 || !set || !alone)
		return 2;
	set->size = sizeof(*set);
	*alone = sizeof(struct profil_status);
	if (!strcmp(argv[1], "right"))
		return all_four(fd);
	if (!strcmp(argv[1], "uninitialised"))
		ioctl(fd, PROFIL_IOC_SET, set);
	else
		ioctl(fd, PROFIL_IOC_QUERY, alone);
	return 0;
}
