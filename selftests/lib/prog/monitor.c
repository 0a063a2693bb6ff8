// SPDX-License-Identifier: GPL-2.0-only
/*
 * monitor() in the way that the argument names; what was called meanwhile, and
 * must be in mon.out, is printed.
 */
#define _GNU_SOURCE
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS	8
#define CALLS	20000
#define SHORTS	30000
#define NFUNC	50

extern int etext();

static short buf[SHORTS], other_buf[SHORTS];
static unsigned long handled;
static volatile unsigned long turns;

static void one(void)
{
	turns++;
}

static void two(void)
{
	turns++;
}

static void three(void)
{
	turns++;
}

static void four(void)
{
	turns++;
}

static void handler(int signo)
{
	(void)signo;
	two();
	__atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

static void *thread(void *arg)
{
	int i;

	for (i = 0; i < CALLS; i++) {
		one();
		if (i % 2)
			two();
	}
	return arg;
}

static void begin(void)
{
	monitor((int)2, etext, buf, SHORTS, NFUNC);
}

static void threads(void)
{
	struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_RESTART };
	pthread_t list[THREADS];
	int i;

	begin();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_create(&list[i], NULL, thread, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(list[i], NULL);
	timer.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	signal(SIGALRM, SIG_IGN);
	monitor(0);
	one();
	printf("one %d\ntwo %lu\nthread %d\n", THREADS * CALLS,
	       THREADS * CALLS / 2 + handled, THREADS);
	if (handled)
		printf("handler %lu\n", handled);
}

static void call_four_three_two_one(void)
{
	int i;

	/* From two places, which is still one function. */
	for (i = 0; i < 10; i++) {
		if (i % 2)
			one();
		else
			one();
		if (i > 1)
			two();
		if (i > 3)
			three();
		if (i > 5)
			four();
	}
}

/* Of five functions called there is room for the two called most. */
static void limit(void)
{
	monitor((int)2, etext, buf, SHORTS, 2);
	call_four_three_two_one();
	monitor(0);
	puts("one 10\ntwo 8");
}

static void pauses(void)
{
	begin();
	one();
	moncontrol(0);
	one();
	two();
	moncontrol(0);
	moncontrol(1);
	three();
	moncontrol(0);
	four();
	/* The file is for exit to write. */
	puts("one 1\nthree 1");
}

static void again(void)
{
	begin();
	one();
	monitor((int)2, etext, other_buf, SHORTS, NFUNC);
	two();
	monitor(0);
	one();
	begin();
	two();
	three();
	monitor(0);
	puts("two 1\nthree 1");
}

/* By the clock: a fast processor makes any number of turns between two ticks. */
static void burn(void)
{
	int i;

	do {
		for (i = 0; i < 1000000; i++)
			turns++;
	} while (clock() < CLOCKS_PER_SEC / 2);
}

static void forks(void)
{
	int status;

	begin();
	one();
	if (fork() == 0) {
		two();
		burn();
		printf("pid %d\n", getpid());
		return;
	}
	wait(&status);
	three();
	monitor(0);
}

/* The -pg run-time's profile, in a file of monitor's. */
static void startup(void)
{
	monstartup((int)2, etext);
	one();
	call_four_three_two_one();
	monitor(0);
	two();
	puts("one 11\ntwo 8\nthree 6\nfour 4\ncall_four_three_two_one 1");
}

/* What the -pg run-time counts is what monitor does not. */
static void resume(void)
{
	monstartup((int)2, etext);
	one();
	begin();
	two();
	moncontrol(0);
	moncontrol(1);
	monitor(0);
	three();
	moncontrol(1);
	four();
	puts("two 1");
}

/* monstartup is a monitor too: it takes the place of the one before. */
static void replaced(void)
{
	begin();
	two();
	monstartup((int)2, etext);
	one();
	monitor(0);
	puts("one 1");
}

/* The -pg run-time's end is no end of monitor's profile. */
static void cleanup(void)
{
	begin();
	one();
	_mcleanup();
	two();
	monitor(0);
	puts("one 1\ntwo 1");
}

static void outside(void)
{
	/* One function's text is sampled; calls are the whole program's. */
	monitor(two, three, buf, SHORTS, NFUNC);
	one();
	four();
	monitor(0);
	puts("one 1\nfour 1");
}

static void bad(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	begin();
	monitor((int)2, etext, buf, 200, NFUNC);
	monitor((int)2, etext, (void *)0, SHORTS, NFUNC);
	monitor((int)2, etext, page, 2048, NFUNC);
	monitor((int)2, etext, page, (size_t)-1, 0);
	monitor((int)2, etext, buf, SHORTS, (size_t)-1);
	monitor(etext, 2, buf, SHORTS, NFUNC);
	one();
}

static void gone(void)
{
	void *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	monitor((int)2, etext, page, 32768, NFUNC);
	one();
	munmap(page, 65536);
}

/* Its last byte is half of a bin. */
static void odd(void)
{
	static uintptr_t words[20];

	monitor((int)2, etext, (char *)words + 1, 40, 0);
	monitor(0);
	printf("word %zu\n", sizeof(words[0]));
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "threads", threads }, { "limit", limit }, { "pauses", pauses },
	{ "again", again }, { "forks", forks }, { "startup", startup },
	{ "resume", resume }, { "replaced", replaced },
	{ "cleanup", cleanup }, { "outside", outside },
	{ "bad", bad }, { "gone", gone }, { "odd", odd }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2)
		return 1;
	printf("secure %lu\n", getauxval(AT_SECURE));
	fflush(stdout);
	for (i = 0; modes[i].name; i++) {
		if (strcmp(argv[1], modes[i].name))
			continue;
		modes[i].run();
		return 0;
	}
	return 1;
}
