// SPDX-License-Identifier: MIT
/* A function inside of another. */
int main(int argc, char **argv)
{
	__attribute__((noinline)) int nested(int i)
	{
		return i * argc + !argv;
	}

	return nested(argc) + nested(argc + 1);
}
