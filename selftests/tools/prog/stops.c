// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says "first", stops itself as an editor does on ^Z, says "second" when it is
 * continued, and ends with 7.
 */
#include <signal.h>
#include <stdio.h>

int main(void)
{
	puts("first");
	fflush(stdout);
	raise(SIGTSTP);
	puts("second");
	return 7;
}
