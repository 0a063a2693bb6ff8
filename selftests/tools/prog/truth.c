// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 20 functions in random order and measures the CPU time of each.
 *
 *	truth MS OUT [HOW]
 *
 * MS is milliseconds of CPU time in all.  HOW is fork, vfork, exec, threads, kill,
 * or the path of a library that has the functions: built with PLUGIN it is that,
 * and with NO_WORK a program without them.  Each process appends to OUT a line of
 * each function: its number, nanoseconds, and instructions.  With HOW callers,
 * five functions call them, and a line has the caller's number first.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR	20
#define SLOT	1024	/* bytes of text */
#define PARTS	4	/* processes or threads */
#define CALLERS	5
#define ROUND	511	/* instructions: what an emulator translates in one go */
#ifndef ROUNDS
#define ROUNDS	500	/* of the first function; of the second twice as many */
#endif

#ifndef NO_WORK
/* Nearly all nops, which an emulator runs fast. */
asm(".pushsection .text.work, \"ax\", @progbits\n"
    ".globl work_text\n"
    ".balign 1024\n"
    "work_text:\n"
    ".irp nr, 00,01,02,03,04,05,06,07,08,09,10,11,12,13,14,15,16,17,18,19\n"
    ".globl work_\\nr\n"
    ".type work_\\nr, @function\n"
    ".balign 1024, 0xcc\n"
    "work_\\nr:\n"
    ".cfi_startproc\n"
    "1: .fill 509, 1, 0x90\n"
    "dec %ecx\n"
    "jnz 1b\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size work_\\nr, . - work_\\nr\n"
    ".endr\n"
    ".balign 1024, 0xcc\n"
    ".popsection\n");
#endif

#ifndef PLUGIN
struct work {
	uint64_t ns[NR], rounds[NR];
	uint64_t until_ns, random;
};

static char *text;
static const char *output;

#ifdef NO_WORK
static char *find_text(const char *how)
{
	void *library = dlopen(how, RTLD_NOW);

	return library ? dlsym(library, "work_text") : NULL;
}
#else
extern char work_text[];

static char *find_text(const char *how)
{
	(void)how;
	return work_text;
}
#endif

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void call(int nr, unsigned int rounds)
{
	asm volatile("call *%1" : "+c" (rounds) : "r" (text + nr * SLOT) :
		     "memory", "cc");
}

static void *burn(void *arg)
{
	struct work *work = arg;
	uint64_t begin = cpu_ns(), now = begin, then;
	unsigned int rounds;
	int nr;

	while (now - begin < work->until_ns) {
		work->random ^= work->random << 13;
		work->random ^= work->random >> 7;
		work->random ^= work->random << 17;
		nr = (work->random >> 20) % NR;
		rounds = (nr + 1) * ROUNDS;
		then = cpu_ns();
		call(nr, rounds);
		now = cpu_ns();
		work->ns[nr] += now - then;
		work->rounds[nr] += rounds;
	}
	return NULL;
}

static uint64_t called_ns[CALLERS][NR];

#define CALLER(caller)							\
__attribute__((noinline)) static void caller_##caller(int nr)		\
{									\
	uint64_t then = cpu_ns();					\
									\
	call(nr, (nr + 1) * ROUNDS);					\
	called_ns[caller][nr] += cpu_ns() - then;			\
}

CALLER(0)
CALLER(1)
CALLER(2)
CALLER(3)
CALLER(4)

/* The callers at 1 to 2 to 3 to 4 to 5. */
static int by_callers(uint64_t until_ns, uint64_t random)
{
	static void (*const callers[])(int nr) = {
		caller_0, caller_1, caller_1, caller_2, caller_2, caller_2,
		caller_3, caller_3, caller_3, caller_3, caller_4, caller_4,
		caller_4, caller_4, caller_4,
	};
	FILE *file = fopen(output, "w");
	int i, nr;

	if (!file)
		return 1;
	while (cpu_ns() < until_ns) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		callers[(random >> 40) % 15]((random >> 20) % NR);
	}
	for (i = 0; i < CALLERS; i++)
		for (nr = 0; nr < NR; nr++)
			fprintf(file, "%d %d %llu\n", i, nr,
				(unsigned long long)called_ns[i][nr]);
	return fclose(file) != 0;
}

/* In one write, because others append too. */
static void tell(const struct work *work)
{
	char lines[NR * 64];
	int fd = open(output, O_WRONLY | O_CREAT | O_APPEND, 0644);
	size_t size = 0;
	int i;

	for (i = 0; i < NR; i++)
		size += snprintf(lines + size, sizeof(lines) - size,
				 "%d %llu %llu\n", i,
				 (unsigned long long)work->ns[i],
				 (unsigned long long)work->rounds[i] * ROUND);
	if (fd < 0 || write(fd, lines, size) != (ssize_t)size)
		_exit(1);
	close(fd);
}

static void in_threads(struct work *works)
{
	pthread_t threads[PARTS];
	int i;

	for (i = 0; i < PARTS; i++)
		pthread_create(&threads[i], NULL, burn, &works[i]);
	for (i = 0; i < PARTS; i++) {
		pthread_join(threads[i], NULL);
		tell(&works[i]);
	}
}

static void in_forked(struct work *works)
{
	int i;

	for (i = 0; i < PARTS; i++) {
		if (fork())
			continue;
		burn(&works[i]);
		tell(&works[i]);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

/* The parent, of which it has the memory, sleeps meanwhile. */
__attribute__((noinline)) static void in_vforked(struct work *work)
{
	if (!vfork()) {
		burn(work);
		_exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	static struct work works[PARTS], all;
	const char *how = argc > 3 ? argv[3] : "";
	char ms[32];
	int i;

	if (argc < 3)
		return 2;
	output = argv[2];
	text = find_text(how);
	if (!text)
		return 1;
	all.until_ns = strtoul(argv[1], NULL, 10) * 1000000ull;
	all.random = 88172645463325252ull + getpid();
	if (!strcmp(how, "callers"))
		return by_callers(all.until_ns, all.random);
	for (i = 0; i < PARTS; i++) {
		works[i].until_ns = all.until_ns / PARTS;
		works[i].random = all.random + i;
	}
	if (!strcmp(how, "threads")) {
		in_threads(works);
	} else if (!strcmp(how, "fork")) {
		in_forked(works);
	} else if (!strcmp(how, "vfork")) {
		for (i = 0; i < PARTS; i++) {
			in_vforked(&works[i]);
			tell(&works[i]);
		}
	} else if (strcmp(how, "exec")) {
		burn(&all);
		tell(&all);
	} else {
		all.until_ns /= 2;
		burn(&all);
		tell(&all);
		snprintf(ms, sizeof(ms), "%llu",
			 (unsigned long long)all.until_ns / 1000000);
		execl(argv[0], argv[0], ms, output, all.until_ns > 200000000 ?
		      "exec" : "last", (char *)NULL);
		return 1;
	}
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	return 0;
}
#endif
