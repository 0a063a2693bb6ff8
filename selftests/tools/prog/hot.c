// SPDX-License-Identifier: MIT
/* A program with a function that another is inlined into. */
static volatile unsigned int sink;

static inline __attribute__((always_inline)) void inner(unsigned int i)
{
	sink += i * i;
}

__attribute__((noinline)) void outer(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		inner(i);
}

__attribute__((noinline)) void cold(void)
{
	sink++;
}

int main(int argc, char **argv)
{
	(void)argv;
	outer(argc * 1000);
	cold();
	return 0;
}
