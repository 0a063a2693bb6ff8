// SPDX-License-Identifier: GPL-2.0-only
/* Calls its functions in known numbers, and prints these. */
#include <stdio.h>
#include <stdlib.h>

#define NESTED		inner
#define NAME(x)		NAME_OF(x)
#define NAME_OF(x)	#x

static unsigned long n_leaf, n_middle, n_recursive, n_pointer, n_variadic;
static volatile unsigned long sink;

static void leaf(void)
{
	n_leaf++;
}

static void middle(int n)
{
	n_middle++;
	while (n--)
		leaf();
}

static void recursive(int depth)
{
	n_recursive++;
	if (depth > 0) {
		recursive(depth - 1);
		leaf();
	}
}

static void pointer(void)
{
	n_pointer++;
}

/* Every argument register is live where the call is counted. */
static double variadic(int count, const char *format, ...)
{
	__builtin_va_list args;
	double sum = 0;

	n_variadic++;
	(void)format;
	__builtin_va_start(args, format);
	while (count--)
		sum += __builtin_va_arg(args, double) +
		       __builtin_va_arg(args, int);
	__builtin_va_end(args);
	return sum;
}

struct big {
	long part[5];
};

static struct big many(long a, long b, long c, long d, long e, long f, long g,
		       double h, float i)
{
	return (struct big){ { a + b, c + d, e + f, g, (long)(h + (double)i) } };
}

int main(void)
{
	void (*volatile call)(void) = pointer;
	int i;

#ifndef NO_NESTED
	/* The static chain is in a register of its own. */
	long outer = 3;

	long NESTED(long x) { return x + outer; }
#endif

	for (i = 0; i < 1000; i++) {
		struct big b = many(i, 2, 3, 4, 5, 6, 7, 8.5, 9.5f);

		middle(i % 7);
		recursive(i % 5);
		call();
#ifndef NO_NESTED
		if (NESTED(i) != i + 3)
			return 1;
#endif
		if (variadic(4, "", 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5) != 26.0)
			return 2;
		if (b.part[0] != i + 2 || b.part[1] != 7 || b.part[2] != 11 ||
		    b.part[3] != 7 || b.part[4] != 18)
			return 3;
		sink += (unsigned long)i;
	}
	/* gprof leaves a function's calls of itself out of this column. */
	printf("leaf %lu\nmiddle %lu\nrecursive %d\npointer %lu\n", n_leaf,
	       n_middle, 1000, n_pointer);
	printf("variadic %lu\nmany 1000\n", n_variadic);
#ifndef NO_NESTED
	puts(NAME(NESTED) ".0 1000");
#endif
	return n_recursive == 3000 ? 0 : 4;
}
