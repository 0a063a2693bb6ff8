// SPDX-License-Identifier: GPL-2.0-only
/*
 * A JIT that puts two functions at one address, in turn, and tells of them by a
 * jitdump: made_a does three times the work of made_b.  It writes in blocks, so
 * that the file is behind.  The argument is a number of rounds.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* mov $N,%ecx; dec %ecx; jnz; ret, with nops before them. */
static const unsigned char loop[] = {
	0x90, 0x90, 0x90, 0xb9, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc9, 0x75, 0xfc,
	0xc3,
};

static unsigned char *code;
static FILE *dump;

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void put(const void *bytes, size_t size)
{
	if (fwrite(bytes, size, 1, dump) != 1)
		exit(1);
}

static void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put_u64(uint64_t value)
{
	put(&value, sizeof(value));
}

static void begin_dump(void)
{
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	if (!dump || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			  fileno(dump), 0) == MAP_FAILED)
		exit(1);
	setvbuf(dump, NULL, _IOFBF, 1 << 16);
	put_u32(0x4a695444);
	put_u32(1);
	put_u32(40);
	put_u32(62);
	put_u32(0);
	put_u32((uint32_t)getpid());
	put_u64((uint64_t)now_ns(CLOCK_MONOTONIC));
	put_u64(0);
}

static void load(const char *name)
{
	static uint64_t index;

	memcpy(code, loop, sizeof(loop));
	put_u32(0);
	put_u32((uint32_t)(56 + strlen(name) + 1 + sizeof(loop)));
	put_u64((uint64_t)now_ns(CLOCK_MONOTONIC));
	put_u32((uint32_t)getpid());
	put_u32((uint32_t)getpid());
	put_u64((uintptr_t)code);
	put_u64((uintptr_t)code);
	put_u64(sizeof(loop));
	put_u64(index++);
	put(name, strlen(name) + 1);
	put(loop, sizeof(loop));
}

/* Work and not time, of which a machine that stands still takes a part. */
static void run(int times)
{
	while (times--)
		((void (*)(void))code)();
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	begin_dump();
	while (rounds--) {
		load("made_a");
		run(900);
		load("made_b");
		run(300);
	}
	return fclose(dump) != 0;
}
