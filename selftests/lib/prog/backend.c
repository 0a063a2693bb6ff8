// SPDX-License-Identifier: GPL-2.0-only
/* What the library says of its backend, and what profil() then returns. */
#include <errno.h>
#include <profil.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	static unsigned short bins[512];
	struct profil_counts counts;
	int ret = profil(bins, sizeof(bins), 0, 0x10000);

	printf("profil %s\n", ret ? strerror(errno) : "0");
	printf("backend %d %s\n", profil_backend(), profil_backend_name());
	ret = profil_counts_get(&counts, sizeof(counts));
	printf("counts %s\n", ret ? strerror(errno) : "0");
	ret = profil_counts_get(&counts, sizeof(counts) - 1);
	printf("size %s\n", ret ? strerror(errno) : "0");
	return 0;
}
