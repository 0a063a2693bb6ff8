// SPDX-License-Identifier: MIT
/* profil(), sprofil() and their limit as programs written for HP-UX know them. */
#define _HPUX_SOURCE
#include <errno.h>
#include <profil.h>
#include <stdlib.h>

#include "internal.h"

#undef sysconf

EXPORT long profil_hpux_sysconf(int name)
{
	return name == _SC_PROFIL_MAX ? (long)profil_regions_max() :
					sysconf(name);
}

EXPORT int profil_hpux(unsigned short *buff, size_t bufsiz, size_t offset,
		       unsigned int scale)
{
	const struct profil_region region = {
		.base = (uintptr_t)buff,
		.size = bufsiz,
		.offset = offset,
		.scale = scale,
		.width = 2,
		.flags = scale == 2 && !offset ? PROFIL_REGION_F_OVERFLOW : 0,
	};

	if (scale < 2)
		return profil_regions_stop();
	if (scale > PROFIL_SCALE_MAX || bufsiz % 2)
		return profil_fail(EINVAL);
	return profil_dialect_start_one(&region, 0);
}

static unsigned int width_of(unsigned int flags)
{
	switch (flags) {
	case PROF_USHORT:
		return 2;
	case PROF_UINT:
		return 4;
	case PROF_UINT64:
		return 8;
	default:
		return 0;
	}
}

static bool is_overflow(const struct profil_hpux_prof *prof)
{
	return !prof->pr_offset && prof->pr_scale == 2;
}

/* The page's limit: 2^46 bytes of text. */
static bool size_allowed(const struct profil_hpux_prof *prof,
			 unsigned int width)
{
	return prof->pr_size && prof->pr_size % width == 0 &&
	       prof->pr_size <= (uint64_t)prof->pr_scale << 30;
}

static int translate_profs(struct profil_region *regions,
			   const struct profil_hpux_prof *profs,
			   unsigned int nr, unsigned int width)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct profil_hpux_prof *prof = &profs[i];
		bool last = i == nr - 1;
		bool overflow = is_overflow(prof);

		if (!size_allowed(prof, width) ||
		    prof->pr_scale > PROFIL_SCALE_MAX ||
		    (uintptr_t)prof->pr_base % width)
			return profil_fail(EINVAL);
		if (overflow && (!last || prof->pr_size != width))
			return profil_fail(EINVAL);
		if (!overflow && i && prof->pr_offset < prof[-1].pr_offset)
			return profil_fail(EINVAL);
		regions[i] = (struct profil_region){
			.base = (uintptr_t)prof->pr_base,
			.size = prof->pr_size,
			.offset = (uintptr_t)prof->pr_offset,
			.scale = prof->pr_scale,
			.width = width,
			.flags = overflow ? PROFIL_REGION_F_OVERFLOW : 0,
		};
	}
	return 0;
}

static int start_regions(const struct profil_hpux_prof *profp, unsigned int nr,
			 unsigned int width)
{
	int saved = errno;
	struct profil_hpux_prof *profs = calloc(nr, sizeof(*profs));
	struct profil_region *regions = calloc(nr, sizeof(*regions));
	int ret = -1;
	int error;

	if (!profs || !regions)
		errno = ENOMEM;
	else
		ret = profil_copy_in(profs, profp, nr * sizeof(*profs));
	if (ret == 0)
		ret = translate_profs(regions, profs, nr, width);
	if (ret == 0)
		ret = profil_dialect_start(regions, nr, 0);
	error = errno;
	free(regions);
	free(profs);
	errno = ret == 0 ? saved : error;
	return ret;
}

EXPORT int profil_hpux_sprofil(struct profil_hpux_prof *profp, int profcnt,
			       struct timeval *tvp, unsigned int flags)
{
	unsigned int width = width_of(flags);
	struct timeval tick;

	if (!width)
		return profil_fail(EINVAL);
	if (profil_backend() == PROFIL_BACKEND_NONE && profcnt > 0)
		return profil_fail_unserved(ENODEV);
	if (profcnt < 0 || (unsigned int)profcnt > profil_regions_max())
		return profil_fail(E2BIG);
	tick = profil_period();
	if (tvp && profil_copy_out(tvp, &tick, sizeof(tick)) != 0)
		return -1;
	if (!profcnt)
		return profil_regions_stop();
	if (!profil_width_known(width))
		return profil_fail_unserved(EOPNOTSUPP);
	return start_regions(profp, (unsigned int)profcnt, width);
}
