// SPDX-License-Identifier: MIT
/*
 * A thread's profile with its counters in a transparent huge page, for a user
 * with RLIMIT_MEMLOCK of 64 KiB.  Prints errno; 77 is that there is no such page.
 */
#include <errno.h>
#include <profil.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define HUGE	(2UL << 20)

static int kib_huge(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	char line[200];
	int kib = 0;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "AnonHugePages: %d", &kib);
	if (file)
		fclose(file);
	return kib;
}

int main(void)
{
	struct rlimit memlock = { 65536, 65536 };
	char *map = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *page = map + (-(unsigned long)map & (HUGE - 1));

	if (map == MAP_FAILED || madvise(page, HUGE, MADV_HUGEPAGE) != 0)
		return 77;
	memset(page, 0, HUGE);
	if (!kib_huge())
		return 77;
	if (setrlimit(RLIMIT_MEMLOCK, &memlock) != 0 || setuid(65534) != 0)
		return 1;
	errno = 0;
	profil_thread(page, 4096, main, 0x10000);
	printf("%d\n", errno);
	return 0;
}
