// SPDX-License-Identifier: MIT
/*
 * The only user of the ioctls: /dev/profil opened, asked and closed.
 *
 * A descriptor is kept only while a profile is on, so that it can be stopped
 * after a chroot, and so that an idle program does not hold the module.  The
 * program may close it unasked, and then have the number for something else:
 * before each use it is checked to be still the device that was opened.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "internal.h"

/* Out of the way of programs that count on the lowest numbers. */
#define FD_LOWEST	200

static int kept = -1;
static uint64_t wanted;		/* bytes, the most that could not be pinned */
static bool is_on;		/* the kernel counts in the program's memory */
static uint32_t kept_rdev;	/* Linux device numbers have 32 bits */

static bool still_ours(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	       (uint32_t)st.st_rdev ==
	       __atomic_load_n(&kept_rdev, __ATOMIC_RELAXED);
}

static int device_open(void)
{
	struct stat st;
	int fd, high;

	fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		if (errno == ENOENT || errno == ENXIO || errno == ENOTDIR)
			errno = ENODEV;
		return -1;
	}
	if (fstat(fd, &st) != 0 || !S_ISCHR(st.st_mode)) {
		close(fd);
		errno = ENODEV;
		return -1;
	}
	__atomic_store_n(&kept_rdev, (uint32_t)st.st_rdev, __ATOMIC_RELAXED);
	high = fcntl(fd, F_DUPFD_CLOEXEC, FD_LOWEST);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

/*
 * A call has the kept descriptor to itself: a second thread, or a signal
 * handler, that comes meanwhile opens its own, and one of them is kept.
 */
static int call_kept(unsigned long request, void *arg, unsigned int flags)
{
	int fd = __atomic_exchange_n(&kept, -1, __ATOMIC_ACQ_REL);
	bool keep = still_ours(fd);
	int none = -1;
	int ret, error;

	if (!keep)
		fd = device_open();
	if (fd < 0)
		return -1;
	ret = ioctl(fd, request, arg);
	error = errno;
	/* A thread's own profile ends with it, unasked. */
	if (ret == 0 && !(flags & PROFIL_F_THREAD) &&
	    (request == PROFIL_IOC_SET || request == PROFIL_IOC_STOP)) {
		keep = request == PROFIL_IOC_SET;
		__atomic_store_n(&is_on, keep, __ATOMIC_RELAXED);
	}
	if (!keep || !__atomic_compare_exchange_n(&kept, &none, fd, false,
						  __ATOMIC_ACQ_REL,
						  __ATOMIC_RELAXED))
		close(fd);
	errno = error;
	return ret;
}

static int device_call(unsigned long request, void *arg, unsigned int flags)
{
	int cancel = profil_cancel_disable();
	int ret = call_kept(request, arg, flags);

	profil_cancel_restore(cancel);
	return ret;
}

bool profil_device_is_on(void)
{
	return __atomic_load_n(&is_on, __ATOMIC_RELAXED);
}

int profil_device_info(struct profil_info *info)
{
	*info = (struct profil_info){ .size = sizeof(*info) };
	return device_call(PROFIL_IOC_INFO, info, 0);
}

/* Whole pages are pinned. */
static void note_wanted(const struct profil_region *regions, unsigned int nr)
{
	uint64_t page = profil_page_size();
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		bytes += ((regions[i].base & (page - 1)) + regions[i].size +
			  page - 1) & -page;
	if (bytes > __atomic_load_n(&wanted, __ATOMIC_RELAXED))
		__atomic_store_n(&wanted, bytes, __ATOMIC_RELAXED);
}

uint64_t profil_device_wanted(void)
{
	return __atomic_load_n(&wanted, __ATOMIC_RELAXED);
}

static int device_set(const struct profil_region *regions, unsigned int nr,
		      unsigned int flags, const struct profil_dump *dump)
{
	struct profil_set set = {
		.size = sizeof(set),
		.flags = flags,
		.regions = (uintptr_t)regions,
		.nr_regions = nr,
		.region_size = sizeof(*regions),
		.rate_hz = profil_rate(),
		.dump = (uintptr_t)dump,
	};
	int ret = device_call(PROFIL_IOC_SET, &set, flags);

	if (ret != 0 && errno == EPERM && profil_rate_give_up()) {
		set.rate_hz = 0;
		ret = device_call(PROFIL_IOC_SET, &set, flags);
	}

	if (ret != 0 && errno == ENOMEM)
		note_wanted(regions, nr);
	return ret;
}

int profil_device_set(const struct profil_region *regions, unsigned int nr,
		      unsigned int flags)
{
	return device_set(regions, nr, flags, NULL);
}

int profil_device_set_dump(const struct profil_region *regions,
			   unsigned int nr, const struct profil_dump *dump)
{
	return device_set(regions, nr, 0, dump);
}

static int device_status(unsigned long request, struct profil_status *status,
			 unsigned int flags,
			 struct profil_region_status *states, unsigned int nr)
{
	*status = (struct profil_status){
		.size = sizeof(*status),
		.flags = flags,
		.regions = (uintptr_t)states,
		.nr_regions = nr,
		.region_size = sizeof(struct profil_region_status),
	};
	return device_call(request, status, flags);
}

int profil_device_stop(struct profil_status *status, unsigned int flags)
{
	return device_status(PROFIL_IOC_STOP, status, flags, NULL, 0);
}

int profil_device_query(struct profil_status *status)
{
	return device_status(PROFIL_IOC_QUERY, status, 0, NULL, 0);
}

int profil_device_query_regions(struct profil_status *status,
				struct profil_region_status *states,
				unsigned int nr)
{
	return device_status(PROFIL_IOC_QUERY, status, 0, states, nr);
}
