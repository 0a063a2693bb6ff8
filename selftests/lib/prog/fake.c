// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded before the library: a false /dev/profil that fails.
 * FAKE_OPEN, FAKE_INFO and FAKE_SET are the errno of the three; FAKE_OLD=1 is a
 * module without features.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <profil/ioctl.h>

static int fault(const char *name)
{
	const char *value = getenv(name);

	errno = value ? atoi(value) : 0;
	return errno ? -1 : 0;
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (strcmp(path, PROFIL_DEVICE))
		return real(path, flags, mode);
	return fault("FAKE_OPEN") ? -1 : real("/dev/null", flags);
}

int stat(const char *path, struct stat *st)
{
	int (*real)(const char *, struct stat *) =
		(int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
	int ret = real(strcmp(path, PROFIL_DEVICE) ? path : "/dev/null", st);

	if (ret == 0 && !strcmp(path, PROFIL_DEVICE) && getenv("FAKE_MODE"))
		st->st_mode = S_IFCHR;
	return ret;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct profil_info *info;
	va_list args;

	(void)fd;
	va_start(args, request);
	info = va_arg(args, struct profil_info *);
	va_end(args);
	if (request == PROFIL_IOC_SET)
		return fault("FAKE_SET");
	if (request != PROFIL_IOC_INFO)
		return 0;
	if (fault("FAKE_INFO"))
		return -1;
	info->features = getenv("FAKE_OLD") ? 0 : 0x7ff;
	info->hz = 250;
	info->max_regions = 1024;
	return 0;
}
