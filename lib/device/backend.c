// SPDX-License-Identifier: MIT
/*
 * The choice of a backend: the kernel through /dev/profil, or, where that is
 * missing or unable, the C library's own profil() with its SIGPROF.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "block.h"
#include "device/libc.h"
#include "internal.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

/* Other C libraries lack it. */
#pragma weak __profile_frequency
int __profile_frequency(void);

static int chosen = PROFIL_BACKEND_NONE;
static bool fallback;		/* libc's may take over */
static uint32_t kernel_hz;
static uint32_t kernel_regions;
static uint64_t kernel_features;
static int kernel_error;	/* why it does not serve; 0: it does, or is not asked */

void profil_backend_find(void)
{
	profil_libc_find();
}

static bool kernel_usable(void)
{
	struct profil_info info;

	if (profil_device_info(&info) != 0) {
		kernel_error = errno;
		return false;
	}
	if (!(info.features & PROFIL_FEAT_WIDTH_2) || !info.hz) {
		kernel_error = EPROTO;
		return false;
	}
	kernel_hz = info.hz;
	kernel_regions = info.features & PROFIL_FEAT_REGIONS ?
			 info.max_regions : 1;
	kernel_features = info.features;
	profil_rate_choose(&info);
	return true;
}

static const char *wished_backend(void)
{
	const char *wish = secure_getenv("PROFIL_BACKEND");

	return wish && *wish ? wish : "any";
}

static void choose_backend(void)
{
	const char *wish = wished_backend();

	__atomic_store_n(&profil_asked, true, __ATOMIC_RELAXED);
	profil_report_share();
	fallback = strcmp(wish, "kernel") != 0 && profil_libc_find();
	if (strcmp(wish, "libc") != 0 && kernel_usable())
		chosen = PROFIL_BACKEND_KERNEL;
	else if (fallback)
		chosen = PROFIL_BACKEND_LIBC;
}

/* Not with signals blocked: a message waits for its reader. */
static void tell_choice(void)
{
	const char *wish = wished_backend();
	static bool told;

	if (__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		return;
	if (strcmp(wish, "kernel") != 0 && strcmp(wish, "libc") != 0 &&
	    strcmp(wish, "any") != 0)
		profil_report("PROFIL_BACKEND=%s: not kernel, not libc: ignored",
			      wish);
	profil_rate_tell(chosen == PROFIL_BACKEND_KERNEL);
}

/* A handler that needs the backend would wait for its own thread. */
static void choose_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct profil_blocked old;
	int saved = errno;

	/* dlsym() may wait for the loader, so it comes before the wait for once. */
	profil_libc_find();
	profil_block(&old);
	pthread_once(&once, choose_backend);
	profil_unblock(&old);
	tell_choice();
	errno = saved;
}

EXPORT int profil_backend(void)
{
	static bool known;

	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
		choose_once();
		__atomic_store_n(&known, true, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&chosen, __ATOMIC_RELAXED);
}

EXPORT const char *profil_backend_name(void)
{
	static const char *const name[] = { "none", "kernel", "libc" };
	int backend = profil_backend();

	if (backend != PROFIL_BACKEND_KERNEL && kernel_error)
		profil_why("the kernel does not sample", kernel_error);
	return name[backend];
}

/* What the caller got wrong is not for the user to change. */
static bool is_callers(int error)
{
	switch (error) {
	case EFAULT:
	case EINVAL:
	case E2BIG:
	case EINTR:
	case EALREADY:
	case EBADF:
	case ENOTDIR:
		return true;
	case EOPNOTSUPP:
		return !kernel_error;
	default:
		return false;
	}
}

int profil_backend_tell(int ret, const char *without)
{
	int error = errno;

	if (ret == 0 && profil_backend() == PROFIL_BACKEND_LIBC) {
		if (kernel_error)
			profil_why("sampling by SIGPROF, 100 a second, instead of the kernel's tick",
				   kernel_error);
	} else if (ret != 0 && !is_callers(error)) {
		if (profil_backend() == PROFIL_BACKEND_NONE && !kernel_error)
			profil_report("%s: PROFIL_BACKEND=libc, and the C library here has no profil(); unset PROFIL_BACKEND",
				      without);
		else
			profil_why(without, kernel_error ? kernel_error : error);
	}
	errno = error;
	return ret;
}

bool profil_backend_give_up(void)
{
	struct profil_status status;
	int saved = errno;

	if (profil_backend() != PROFIL_BACKEND_KERNEL || !fallback)
		return false;
	/* What can't be ended goes on counting in the program's memory. */
	if (profil_device_stop(&status, 0) != 0 && profil_device_is_on()) {
		errno = saved;
		return false;
	}
	kernel_error = saved;
	__atomic_store_n(&chosen, PROFIL_BACKEND_LIBC, __ATOMIC_RELAXED);
	errno = saved;
	return true;
}

unsigned int profil_hz(void)
{
	if (profil_backend() == PROFIL_BACKEND_KERNEL)
		return profil_rate() ? profil_rate() : kernel_hz;
	return __profile_frequency ? (unsigned int)__profile_frequency() : 100;
}

bool profil_hz_is_still(unsigned int hz)
{
	if (!hz || profil_hz() == hz)
		return true;
	profil_report_lost("no samples from here on: a file has one rate, those before were taken %u times a second, and %u would be now",
			   hz, profil_hz());
	return false;
}

unsigned int profil_regions_max(void)
{
	switch (profil_backend()) {
	case PROFIL_BACKEND_KERNEL:
		return kernel_regions;
	case PROFIL_BACKEND_LIBC:
		return 1;
	default:
		return 0;
	}
}

bool profil_width_known(unsigned int width)
{
	if (profil_backend() == PROFIL_BACKEND_KERNEL) {
		if (width == 8)
			return kernel_features & PROFIL_FEAT_WIDTH_8;
		if (width == 4)
			return kernel_features & PROFIL_FEAT_WIDTH_4;
	}
	return width == 2;
}

/*
 * libc would take a signal at the first sample instead.  Kernels that can't
 * tell (before 5.14) are believed.
 */
bool profil_writable(uint64_t base, uint64_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)base & -page;
	uintptr_t here = (uintptr_t)&page & -page;
	uintptr_t len;

	if (__builtin_add_overflow((uintptr_t)base - first, size, &len) ||
	    __builtin_add_overflow(len, page - 1, &len))
		return false;
	if (madvise((void *)here, page, MADV_POPULATE_WRITE) != 0)
		return true;
	return madvise((void *)first, len & -page, MADV_POPULATE_WRITE) == 0;
}

static bool libc_has(const struct profil_region *region, unsigned int nr,
		     unsigned int flags)
{
	return !flags && nr == 1 && region->width == 2 && !region->flags;
}

int profil_backend_set(const struct profil_region *regions, unsigned int nr,
		       unsigned int flags)
{
	int saved = errno;
	int ret;

	switch (profil_backend()) {
	case PROFIL_BACKEND_KERNEL:
		ret = profil_device_set(regions, nr, flags);
		if (ret == 0)
			break;
		/* What the caller got wrong is no reason to give up. */
		if (errno == EFAULT || errno == EINVAL || errno == E2BIG ||
		    errno == EINTR || !libc_has(regions, nr, flags) ||
		    !profil_backend_give_up())
			break;
		/* fall through */
	case PROFIL_BACKEND_LIBC:
		ret = libc_has(regions, nr, flags) ?
		      profil_libc_start(regions) : profil_fail(EOPNOTSUPP);
		break;
	default:
		return profil_fail(ENODEV);
	}
	if (ret == 0)
		errno = saved;
	return ret;
}

int profil_backend_end(unsigned int flags)
{
	struct profil_status status;
	int saved = errno;
	int ret = 0;

	switch (profil_backend()) {
	case PROFIL_BACKEND_KERNEL:
		ret = profil_device_stop(&status, flags);
		if (ret == 0 && !(flags & PROFIL_F_THREAD))
			profil_books_keep(&status);
		break;
	case PROFIL_BACKEND_LIBC:
		if (!(flags & PROFIL_F_THREAD))
			ret = profil_libc_stop();
		break;
	}
	if (ret == 0)
		errno = saved;
	return ret;
}
