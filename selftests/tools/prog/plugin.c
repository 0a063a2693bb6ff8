// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads a library after a while and calls its plugin_burn(); built with PLUGIN
 * it is that library, with a static function behind the exported one.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void plugin_burn(unsigned int rounds);

#ifdef PLUGIN
static volatile uint64_t sink;

static void hidden_burn(unsigned int rounds);

void plugin_burn(unsigned int rounds)
{
	hidden_burn(rounds);
	sink++;
}

__attribute__((noinline)) static void hidden_burn(unsigned int rounds)
{
	while (rounds--)
		sink = sink * 6364136223846793005ull + 1;
}
#else
static long cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	long ms = argc > 2 ? atol(argv[2]) : 500;
	void (*burn)(unsigned int rounds);
	void *library;

	while (cpu_ms() < 150)
		;
	library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	burn = library ? (void (*)(unsigned int))dlsym(library, "plugin_burn") :
			 NULL;
	if (!burn)
		return 1;
	puts("loaded");
	fflush(stdout);
	while (cpu_ms() < ms)
		burn(100000);
	return 0;
}
#endif
