// SPDX-License-Identifier: MIT
/* profil() and sprofil() as programs built for the GNU C library know them. */
#include <errno.h>
#include <profil.h>
#include <stdlib.h>

#include "internal.h"

EXPORT int profil(unsigned short *buf, size_t bufsiz, size_t offset,
		  unsigned int scale)
{
	/* The C library declares it nonnull, and the compiler believes it. */
	unsigned short *volatile base = buf;
	struct profil_region region = {
		.base = (uintptr_t)base,
		.size = bufsiz,
		.offset = offset,
		.scale = scale,
		.width = 2,
	};

	if (!region.base || !scale)
		return profil_regions_stop();
	if (scale > PROFIL_SCALE_MAX)
		return profil_fail(EINVAL);
	return profil_dialect_start_one(&region, 0);
}

static int translate_prof(struct profil_region *region, const struct prof *prof,
			  unsigned int width)
{
	if (prof->pr_scale > PROFIL_SCALE_MAX ||
	    (uintptr_t)prof->pr_base % width)
		return profil_fail(EINVAL);
	*region = (struct profil_region){
		.base = (uintptr_t)prof->pr_base,
		.size = prof->pr_size,
		.offset = prof->pr_off,
		.scale = (uint32_t)prof->pr_scale,
		.width = width,
	};
	if (prof->pr_scale == 2 && prof->pr_off == 0)
		region->flags = PROFIL_REGION_F_OVERFLOW;
	return 0;
}

EXPORT int sprofil(struct prof *profp, int profcnt, struct timeval *tvp,
		   unsigned int flags)
{
	struct profil_region *regions;
	unsigned int width = 2;
	unsigned int nr = 0;
	int saved = errno;
	int ret = 0;
	int error, i;

	switch (flags & ~(unsigned int)PROF_FAST) {
	case PROF_USHORT:
		break;
	case PROF_UINT:
		width = 4;
		break;
	case PROF_UINT64:
		width = 8;
		break;
	default:
		return profil_fail(EINVAL);
	}
	if (profcnt < 0)
		return profil_fail(EINVAL);
	if (tvp)
		*tvp = profil_period();
	if (profcnt == 0)
		return profil_regions_stop();
	if (profil_backend() == PROFIL_BACKEND_NONE)
		return profil_fail_unserved(ENODEV);
	if (!profil_width_known(width))
		return profil_fail_unserved(EOPNOTSUPP);
	regions = calloc((size_t)profcnt, sizeof(*regions));
	if (!regions)
		return profil_fail(ENOMEM);
	for (i = 0; ret == 0 && i < profcnt; i++) {
		/* These count nothing. */
		if (!profp[i].pr_base || !profp[i].pr_scale ||
		    profp[i].pr_size < width)
			continue;
		ret = translate_prof(&regions[nr++], &profp[i], width);
	}
	if (ret == 0)
		ret = nr ? profil_dialect_start(regions, nr, 0) :
			   profil_regions_stop();
	error = errno;
	free(regions);
	errno = ret == 0 ? saved : error;
	return ret;
}
