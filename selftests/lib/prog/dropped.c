// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts a profile as root and another as an ordinary user.  Prints the rates
 * of both.
 */
#include <profil.h>
#include <stdio.h>
#include <unistd.h>

static unsigned short bins[4096];

static unsigned int rate_of_profile(void)
{
	struct profil_counts counts;

	if (profil(bins, sizeof(bins), (size_t)rate_of_profile, 65536) != 0 ||
	    profil_counts_get(&counts, sizeof(counts)) != 0)
		return 0;
	return counts.hz;
}

int main(void)
{
	unsigned int before = rate_of_profile();

	if (setuid(65534) != 0)
		return 1;
	printf("%u %u\n", before, rate_of_profile());
	return 0;
}
