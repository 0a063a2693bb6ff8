// SPDX-License-Identifier: MIT
/* What the dialects have in common, each with rules of its own before it. */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "internal.h"

int profil_fail_unserved(int error)
{
	/* A kernel that serves, and lacks what is asked for. */
	if (error == EOPNOTSUPP && profil_backend() == PROFIL_BACKEND_KERNEL)
		profil_why("no samples", EPROTO);
	errno = error;
	return profil_backend_tell(-1, "no samples");
}

int profil_dialect_set(const struct profil_region *regions, unsigned int nr,
		       unsigned int flags)
{
	return profil_backend_tell(profil_regions_set(regions, nr, flags),
				   "no samples");
}

int profil_dialect_start(const struct profil_region *regions, unsigned int nr,
			 unsigned int flags)
{
	int ret = profil_dialect_set(regions, nr, flags);

	if (ret != 0 && errno == EFAULT) {
		profil_regions_end(flags);
		errno = EFAULT;
	}
	return ret;
}

int profil_dialect_start_one(const struct profil_region *region,
			     unsigned int flags)
{
	if (region->base % region->width)
		return profil_fail(EINVAL);
	if (region->size < region->width)
		return profil_regions_end(flags);
	return profil_dialect_start(region, 1, flags);
}

/* Where a sandbox forbids the call, the program finds out by SIGSEGV. */
static int check_copied(void *to, const void *from, size_t size, ssize_t copied)
{
	if (copied == (ssize_t)size)
		return 0;
	if (copied >= 0 || errno == EFAULT)
		return profil_fail(EFAULT);
	memcpy(to, from, size);
	return 0;
}

int profil_copy_in(void *to, const void *from, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)from, size };
	int saved = errno;
	int ret;

	ret = check_copied(to, from, size,
			   process_vm_readv(getpid(), &local, 1, &remote, 1,
					    0));
	if (ret == 0)
		errno = saved;
	return ret;
}

int profil_copy_out(void *to, const void *from, size_t size)
{
	struct iovec local = { (void *)(uintptr_t)from, size };
	struct iovec remote = { to, size };
	int saved = errno;
	int ret;

	ret = check_copied(to, from, size,
			   process_vm_writev(getpid(), &local, 1, &remote, 1,
					     0));
	if (ret == 0)
		errno = saved;
	return ret;
}
