// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel memory of a profile, without the pages that it pins.
 *
 * Many processes in a control group start a profile each.  The growth of the
 * group's kernel memory is measured from before to after that.
 *
 *	memory REGIONS PAGES PROCESSES
 *
 * REGIONS of them share a buffer of PAGES.  Prints bytes a profile.
 */
#include <fcntl.h>
#include <profil/ioctl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "group.h"
#include "work.h"

#define PAGE	4096

static int device, go[2], done[2];

static void start(char *buffer, size_t size, int nr)
{
	struct profil_region *regions = calloc(nr, sizeof(*regions));
	struct profil_set set = {
		.size = sizeof(set),
		.regions = (uintptr_t)regions,
		.nr_regions = nr,
		.region_size = sizeof(*regions),
	};
	size_t piece = size / nr;
	int i;

	for (i = 0; i < nr; i++) {
		regions[i].base = (uintptr_t)buffer + i * piece;
		regions[i].offset = (uintptr_t)work_text + i * piece;
		regions[i].size = piece;
		regions[i].scale = 0x10000;
		regions[i].width = 2;
	}
	if (ioctl(device, PROFIL_IOC_SET, &set))
		die(PROFIL_DEVICE);
}

static void child(char *buffer, size_t size, int nr)
{
	char byte;

	memset(buffer, 0, size);
	if (write(done[1], "", 1) != 1 || read(go[0], &byte, 1) != 1)
		die("pipe");
	start(buffer, size, nr);
	if (write(done[1], "", 1) != 1)
		die("pipe");
	for (;;)
		pause();
}

static void wait_for(int nr)
{
	char byte;

	while (nr--)
		if (read(done[0], &byte, 1) != 1)
			die("pipe");
}

int main(int argc, char **argv)
{
	int regions, processes, i;
	size_t size;
	char *buffer;
	long before;
	pid_t *pids;

	if (argc != 4) {
		fputs("usage: memory REGIONS PAGES PROCESSES\n", stderr);
		return 2;
	}
	regions = atoi(argv[1]);
	size = strtoul(argv[2], NULL, 0) * PAGE;
	processes = atoi(argv[3]);
	enter_group();
	device = open(PROFIL_DEVICE, O_RDWR);
	buffer = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pids = calloc(processes, sizeof(*pids));
	if (device < 0 || buffer == MAP_FAILED || pipe(go) || pipe(done))
		die(PROFIL_DEVICE);
	madvise(buffer, size, MADV_NOHUGEPAGE);
	for (i = 0; i < processes; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (!pids[i])
			child(buffer, size, regions);
	}
	wait_for(processes);
	sleep(2);
	before = kernel_bytes();
	for (i = 0; i < processes; i++)
		if (write(go[1], "", 1) != 1)
			die("pipe");
	wait_for(processes);
	sleep(2);
	printf("%ld\n", (kernel_bytes() - before) / processes);
	for (i = 0; i < processes; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
