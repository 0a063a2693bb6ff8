// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user with RLIMIT_MEMLOCK of one page asks for more: the C library takes
 * over where it can, and elsewhere the call fails and changes nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "points.h"

#define LARGE	(16 * 65536)

static char large[LARGE];

static bool kernel_is_on(void)
{
	struct profil_counts counts;

	return profil_backend() == PROFIL_BACKEND_KERNEL &&
	       profil_counts_get(&counts, sizeof(counts)) == 0 && counts.on;
}

static bool no_memory(int ret)
{
	return ret == -1 && errno == ENOMEM && kernel_is_on();
}

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct rlimit memlock = { page, page };
	struct prof profs[2] = {
		{ .pr_base = large, .pr_size = LARGE / 2,
		  .pr_scale = 0x10000 },
		{ .pr_base = large + LARGE / 2, .pr_size = LARGE / 2,
		  .pr_off = LARGE, .pr_scale = 0x10000 },
	};
	void *small = mmap(NULL, page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (small == MAP_FAILED || setrlimit(RLIMIT_MEMLOCK, &memlock) != 0 ||
	    setuid(65534) != 0)
		return 1;
	result(profil(small, page, 0, 0x10000) == 0 && kernel_is_on(),
	       "within it the kernel serves");
	result(no_memory(sprofil(profs, 2, NULL, PROF_USHORT)),
	       "sprofil: regions past it are ENOMEM, and what was on goes on");
	result(no_memory(sprofil(profs, 1, NULL, PROF_UINT)),
	       "sprofil: so are 32-bit counters");
	result(profil((unsigned short *)(void *)large, LARGE, 0, 0x10000) == 0 &&
	       profil_backend() == PROFIL_BACKEND_LIBC,
	       "profil: past it the C library takes over");
	return finish();
}
