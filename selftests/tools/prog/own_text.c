// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs text that is in no file for so many milliseconds: machine code in
 * anonymous memory, named in /tmp/perf-PID.map, or with "fifo" a FIFO there.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* mov $1000000,%ecx; dec %ecx; jnz; ret */
static const unsigned char loop[] = {
	0xb9, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3,
};

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 500;
	unsigned char *code;
	struct timespec now;
	char path[64];
	FILE *map;

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	memcpy(code, loop, sizeof(loop));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	if (argc > 2) {
		if (mkfifo(path, 0600))
			return 1;
	} else {
		map = fopen(path, "w");
		if (!map)
			return 1;
		fprintf(map, "%lx %zx made_loop\n", (unsigned long)code,
			sizeof(loop));
		fclose(map);
	}
	do {
		((void (*)(void))code)();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < ms);
	unlink(path);
	return 0;
}
