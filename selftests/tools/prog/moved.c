// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves a page of its own text to anonymous memory at the same address, as
 * programs do for large pages, and runs there for so many milliseconds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE	4096

static volatile uint64_t sink;

__attribute__((noinline, aligned(PAGE))) static void moved_burn(int rounds)
{
	while (rounds--)
		sink = sink * 6364136223846793005ull + 1;
}

/* So that text of the file comes behind it. */
__attribute__((noinline, aligned(PAGE))) static long cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 500;
	char *page = (char *)moved_burn, copy[PAGE];

	memcpy(copy, page, PAGE);
	if (mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		 MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
		return 1;
	memcpy(page, copy, PAGE);
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC))
		return 1;
	while (cpu_ms() < ms)
		moved_burn(100000);
	return 0;
}
