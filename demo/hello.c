// SPDX-License-Identifier: GPL-2.0-only
/* Works in two functions, 3 to 1, while profil() fills one counter a 2 bytes
 * of its text, and prints each counter that is not zero.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BINS	8192

extern char __executable_start;
static unsigned short bins[BINS];

static __attribute__((noinline)) void heavy(int work)
{
	for (volatile int i = 0; i < 3 * work; i++)
		;
}

static __attribute__((noinline)) void light(int work)
{
	for (volatile int i = 0; i < work; i++)
		;
}

int main(void)
{
	profil(bins, sizeof(bins), (size_t)&__executable_start, 0x10000);
	for (int round = 0; round < 40000; round++) {
		/* Not in step with the tick. */
		int work = rand() % 20000;

		heavy(work);
		light(work);
	}
	profil(bins, 0, 0, 0);

	for (size_t i = 0; i < BINS; i++)
		if (bins[i])
			printf("%zx %u\n", 2 * i, bins[i]);
	return 0;
}
