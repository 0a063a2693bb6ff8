// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every shape of stack that a C program has, between two traps: leaves, frames
 * with and without a frame pointer, alloca, a realigned stack, callbacks of the
 * C library, lazy binding, signals on an alternate stack, longjmp, coroutines.
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf back;
static ucontext_t here, there;

NOINLINE static int leaf(int a)
{
	return a * 3 + sink;
}

NOINLINE static int middle(int a)
{
	return leaf(a) + leaf(a + 1);
}

NOINLINE static int deep(int a)
{
	return a ? deep(a - 1) + middle(a) : leaf(a);
}

NOINLINE static int saves_all(int a, int b, int c, int d, int e, int f, int g)
{
	int h = middle(a), i = middle(b), j = middle(c), k = middle(d);

	return h * middle(e) + i * middle(f) + j * middle(g) + k;
}

NOINLINE static int many_kinds(const char *format, ...)
{
	char text[64];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return length;
}

NOINLINE static int with_alloca(int n)
{
	char *text = alloca(n);

	memset(text, 1, n);
	return middle(text[n - 1]);
}

/* The stack is aligned anew, and its old place is kept on it. */
NOINLINE static int realigned(int n, double a, int b, int c, int d, int e,
			      int f, int g, double *out)
{
	double x[4] __attribute__((aligned(64)));
	char *text = alloca(n);
	int i;

	memset(text, 1, n);
	for (i = 0; i < 4; i++)
		x[i] = a + text[i] + middle(i);
	*out = x[n & 3];
	return (int)x[(n + g) & 3] + b + c + d + e + f;
}

NOINLINE static int big_frame(int n)
{
	char text[20000];

	memset(text, n, 100);
	return middle(text[7]);
}

static int by_value(const void *one, const void *two)
{
	return leaf(*(const int *)one) - leaf(*(const int *)two);
}

NOINLINE static int called_back(void)
{
	int list[60], i;

	for (i = 0; i < 60; i++)
		list[i] = i * 37 % 61;
	qsort(list, 60, sizeof(*list), by_value);
	return list[0];
}

static void on_signal(int number)
{
	sink = middle(number) & 1;
}

NOINLINE static void jump(int a)
{
	if (a == sink)
		longjmp(back, 1);
	if (a > 0)
		jump(a - 1);
	sink++;
}

NOINLINE static int jumped(void)
{
	if (setjmp(back))
		return middle(sink);
	sink = 0;
	jump(4);
	return 0;
}

static void coroutine(void)
{
	for (;;) {
		sink = middle(sink) & 1;
		swapcontext(&there, &here);
	}
}

NOINLINE static void switched(void)
{
	static char stack[32768];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = NULL;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
	swapcontext(&here, &there);
}

NOINLINE static void signalled(void)
{
	static char stack[32768];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaltstack(&alternate, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
}

int main(void)
{
	double out = 0;
	struct timespec now;
	char *copy;

	__asm__ volatile("int3");
	sink = deep(6) & 1;
	sink = saves_all(1, 2, 3, 4, 5, 6, 7) & 1;
	sink = with_alloca(30) & 1;
	sink = realigned(30, 1.5, 1, 2, 3, 4, 5, 6, &out) & 1;
	sink = big_frame(3) & 1;
	sink = called_back() & 1;
	sink = jumped() & 1;
	signalled();
	switched();
	clock_gettime(CLOCK_MONOTONIC, &now);
	/* The first call of a function goes through the loader. */
	copy = strdup("text");
	free(copy);
	sink = many_kinds("%d %s %g", 3, "three", 3.5) & 1;
	sink = atoi("17") & 1;
	__asm__ volatile("int3");
	return 0;
}
