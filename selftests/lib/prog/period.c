// SPDX-License-Identifier: GPL-2.0-only
/* Prints the microseconds between two samples, as sprofil() tells them. */
#include <profil.h>
#include <stdio.h>

int main(void)
{
	struct timeval period = { 0, 0 };

	if (sprofil(NULL, 0, &period, 0) != 0)
		return 1;
	printf("%ld\n", period.tv_sec * 1000000L + (long)period.tv_usec);
	return period.tv_usec >= 1000000;
}
