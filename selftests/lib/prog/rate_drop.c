// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles itself as root, gives up its rights, and goes on: as a -pg program,
 * or with an argument by monitor().
 */
#include <profil.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

extern int etext();

static short buffer[50000];

static void burn(clock_t ticks)
{
	clock_t end = clock() + ticks;
	volatile unsigned long i;

	while (clock() < end)
		for (i = 0; i < 1000000; i++)
			;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		monitor((int)2, etext, buffer, 50000, 20);
	burn(CLOCKS_PER_SEC / 2);
	moncontrol(0);
	if (setuid(65534) != 0)
		return 1;
	moncontrol(1);
	burn(2 * CLOCKS_PER_SEC);
	if (argc > 1)
		monitor(0);
	return 0;
}
