// SPDX-License-Identifier: MIT
/* profil() as programs written for 4.4BSD, NetBSD and XNU know it. */
#define _NETBSD_SOURCE
#include <errno.h>
#include <profil.h>

#include "internal.h"

#define SCALE_MAX	0x10000

EXPORT int profil_bsd44(char *samples, size_t size, unsigned long offset,
			unsigned int scale)
{
	const struct profil_region region = {
		.base = (uintptr_t)samples,
		.size = size,
		.offset = offset,
		.scale = scale,
		.width = 2,
	};

	if (!scale)
		return profil_regions_stop();
	if (scale > SCALE_MAX)
		return profil_fail(EINVAL);
	return profil_dialect_start_one(&region, 0);
}
