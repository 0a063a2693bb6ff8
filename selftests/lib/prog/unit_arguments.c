// SPDX-License-Identifier: GPL-2.0-only
/* Calls of profil() and sprofil() with arguments that are wrong, or nearly. */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <stdint.h>
#include <sys/mman.h>

#include "unit.h"

static bool refused(int ret, int error)
{
	return ret == -1 && errno == error;
}

/* Without these attributes the compiler would know better than to ask. */
static int (*volatile call)(unsigned short *, size_t, size_t, unsigned int) =
	profil;

void test_arguments(void)
{
	static unsigned short buf[4096];
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct timeval tick = { 1, 1 };
	struct prof prof = { buf, sizeof(buf), 0, 0x10000 };

	tested(call(NULL, 0, 0, 0) == 0 && call(buf, 64, 0, 0) == 0,
	       "profil: ending what is not on is no error");
	tested(call(buf, sizeof(buf), 0, 0x20000) == 0 &&
	       call(buf, 65, 0, 1) == 0 && call(buf, 64, 0, 2) == 0,
	       "profil: scales from 1 to 0x20000, an odd size");
	tested(refused(call(buf, 64, 0, 0x20001), EINVAL) &&
	       refused(call(buf, 64, 0, ~0u), EINVAL) &&
	       refused(call((void *)((char *)buf + 1), 64, 0, 1), EINVAL),
	       "profil: EINVAL for a scale or an alignment");
	tested(call(buf, 1, 0, 0x10000) == 0 && call(buf, 0, 0, 0x10000) == 0,
	       "profil: a buffer of less than a counter");
	tested(refused(call(page, 4096, 0, 0x10000), EFAULT) &&
	       refused(call((void *)16, 4096, 0, 0x10000), EFAULT) &&
	       refused(call(buf, SIZE_MAX & ~1UL, 0, 0x10000), EFAULT),
	       "profil: EFAULT for what is not writable");
	errno = 77;
	call(buf, sizeof(buf), 0, 0x10000);
	call(buf, sizeof(buf), 0, 0x8000);
	call(NULL, 0, 0, 0);
	tested(errno == 77, "profil: success leaves errno alone");
	tested(refused(sprofil(&prof, -1, NULL, 0), EINVAL) &&
	       refused(sprofil(&prof, 1, NULL, 8), EINVAL) &&
	       refused(sprofil(&prof, 1, NULL, PROF_UINT | PROF_UINT64),
		       EINVAL), "sprofil: EINVAL for a count or flags");
	tested(sprofil(&prof, 1, &tick, PROF_FAST) == 0 && tick.tv_sec == 0 &&
	       tick.tv_usec > 0 && sprofil(NULL, 0, NULL, 0) == 0,
	       "sprofil: one region, the tick, and its end");
	munmap(page, 4096);
}
