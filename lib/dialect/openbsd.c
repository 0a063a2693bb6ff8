// SPDX-License-Identifier: MIT
/*
 * profil() of OpenBSD: six arguments, counters behind a struct gmonhdr, and a
 * file that the kernel writes when the process ends.
 */
#include <errno.h>
#include <stddef.h>

#define _OPENBSD_SOURCE
#define PROFIL_NO_NOTE
#include <profil.h>

#include "internal.h"

#define SCALE_MAX	0x10000u

EXPORT int profil_openbsd(void *buf, size_t buflen, size_t samplesize,
			  unsigned long offset, unsigned int scale, int dirfd)
{
	struct gmonhdr *header = buf;
	struct profil_region region = {
		.base = (uintptr_t)(header + 1),
		.size = samplesize,
		.offset = offset,
		.scale = scale,
		.width = 2,
	};
	struct profil_dump dump = {
		.self_size = sizeof(dump),
		.dirfd = dirfd,
		.addr = (uintptr_t)buf,
		.size = buflen,
		.len = (uintptr_t)buf + offsetof(struct gmonhdr, totarc),
		.head = sizeof(*header) + (uint64_t)samplesize,
	};
	int saved = errno;

	if (profil_backend() != PROFIL_BACKEND_KERNEL) {
		return profil_fail_unserved(profil_backend() ==
					    PROFIL_BACKEND_NONE ? ENODEV :
								  EOPNOTSUPP);
	}
	if (profil_note_check() != 0)
		return -1;
	if (scale > SCALE_MAX) {
		errno = EINVAL;
		return -1;
	}
	if (scale == 0) {
		errno = saved;
		return profil_regions_stop();
	}
	if (profil_regions_set_dump(&region, &dump) != 0)
		/* EPERM is that of a program without the note. */
		return errno == EPERM || errno == EOPNOTSUPP ? -1 :
		       profil_fail_unserved(errno);
	errno = saved;
	return 0;
}
