// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a fork to a profiled process, until its child has ended.
 *
 *	fork HOW KIB FORKS
 *
 * HOW is none, profil, glibc or pinned.  The last pins as much by io_uring,
 * because the kernel copies each pinned page for the child at once.  Prints
 * instructions a fork.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <profil/ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

int profil(unsigned short *buffer, size_t size, size_t offset,
	   unsigned int scale);

static void start_profil(void *buffer, size_t size)
{
	struct profil_region region = {
		.base = (uintptr_t)buffer,
		.size = size,
		.offset = (uintptr_t)work_text,
		.scale = 0x10000,
		.width = 2,
	};
	struct profil_set set = {
		.size = sizeof(set),
		.regions = (uintptr_t)&region,
		.nr_regions = 1,
		.region_size = sizeof(region),
	};
	int fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, PROFIL_IOC_SET, &set))
		die(PROFIL_DEVICE);
}

static void pin(void *buffer, size_t size)
{
	struct io_uring_params params = { 0 };
	struct iovec range = { .iov_base = buffer, .iov_len = size };
	int fd = syscall(SYS_io_uring_setup, 1, &params);

	if (fd < 0 || syscall(SYS_io_uring_register, fd,
			      IORING_REGISTER_BUFFERS, &range, 1))
		die("io_uring");
}

static void start(const char *how, void *buffer, size_t size)
{
	if (!strcmp(how, "profil"))
		start_profil(buffer, size);
	else if (!strcmp(how, "glibc"))
		profil(buffer, size, (uintptr_t)work_text, 0x10000);
	else if (!strcmp(how, "pinned"))
		pin(buffer, size);
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		_exit(0);
	while (waitpid(pid, NULL, 0) != pid)
		;
}

int main(int argc, char **argv)
{
	uint64_t then;
	size_t size;
	char *buffer;
	int forks, i;

	if (argc != 4) {
		fputs("usage: fork HOW KIB FORKS\n", stderr);
		return 2;
	}
	size = strtoul(argv[2], NULL, 0) << 10;
	forks = atoi(argv[3]);
	buffer = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		die("mmap");
	madvise(buffer, size, MADV_NOHUGEPAGE);
	memset(buffer, 0, size);
	start(argv[1], buffer, size);
	for (i = 0; i < 10; i++)
		fork_once();
	then = now();
	for (i = 0; i < forks; i++)
		fork_once();
	printf("%lu\n", (now() - then) / forks);
	return 0;
}
