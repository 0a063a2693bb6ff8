/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two functions that use CPU time 3 to 1, with enough text around the loops for
 * a coarse histogram to tell them from each other.
 */
static inline __attribute__((always_inline)) void around(void)
{
	__asm__ volatile (".skip 512, 0x90");
}

static volatile unsigned long turns;

static void three(void)
{
	int i;

	around();
	for (i = 0; i < 30000; i++)
		turns++;
	around();
}

static void one(void)
{
	int i;

	around();
	for (i = 0; i < 10000; i++)
		turns++;
	around();
}
