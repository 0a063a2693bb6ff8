/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests with userfaultfd: this process provides missing pages, or does not.
 */
#ifndef PROFIL_USERFAULT_TEST_H
#define PROFIL_USERFAULT_TEST_H

#include <linux/userfaultfd.h>
#include <sys/syscall.h>

#include "profil_test.h"

/* Registers the range, so that this process must provide missing pages. */
static inline int promise(void *start, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = addr(start), .len = size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range)) {
		close(fd);
		return -1;
	}
	return fd;
}

static inline bool has_userfaultfd(void)
{
	char *page = map_buffer(PAGE);
	int fd = promise(page, PAGE);

	if (fd >= 0)
		close(fd);
	munmap(page, PAGE);
	return fd >= 0;
}

#endif /* PROFIL_USERFAULT_TEST_H */
