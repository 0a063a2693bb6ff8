// SPDX-License-Identifier: GPL-2.0-only
/* Frames of aarch64: leaves, pairs of x29 and x30, alloca, many registers. */
#define NOINLINE __attribute__((noinline))

int outside(int a, void *at);

NOINLINE int leaf(int a)
{
	return a * 3;
}

NOINLINE int calls(int a)
{
	return outside(leaf(a), 0) + 1;
}

NOINLINE int with_alloca(int n)
{
	char *text = __builtin_alloca(n);

	return outside(n, text) + calls(n);
}

NOINLINE int saves_all(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int i = calls(a), j = calls(b), k = calls(c), l = calls(d);

	return i * calls(e) + j * calls(f) + k * calls(g) + l * calls(h);
}

NOINLINE int big_frame(int n)
{
	char text[20000];

	return outside(n, text) + text[n];
}
