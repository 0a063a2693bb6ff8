// SPDX-License-Identifier: MIT
/* The books of the profile that is on, or of the last that was. */
#include <errno.h>
#include <profil.h>
#include <string.h>

#include "internal.h"

static struct profil_status last;

void profil_books_keep(const struct profil_status *status)
{
	/* A second stop, with nothing on, must not wipe them. */
	if (status->nr_regions)
		last = *status;
}

EXPORT int profil_counts_get(struct profil_counts *counts, size_t size)
{
	struct profil_status status;
	struct profil_counts out;
	int saved = errno;
	bool none;

	if (!counts || size != sizeof(out))
		return profil_fail(EINVAL);
	if (profil_backend() != PROFIL_BACKEND_KERNEL) {
		errno = profil_backend() == PROFIL_BACKEND_NONE ? ENODEV :
								  EOPNOTSUPP;
		return -1;
	}
	if (profil_device_query(&status) != 0)
		return -1;
	none = !status.nr_regions;
	if (none)
		status = last;
	out = (struct profil_counts){
		.seen = status.books.seen,
		.binned = status.books.binned,
		.outside = status.books.outside,
		.lost = status.books.lost,
		.saturated = status.books.saturated,
		.pending = status.books.pending,
		.excluded = status.books.excluded,
		.cpu_ns = status.books.cpu_ns,
		.hz = status.hz ? status.hz : profil_hz(),
		.on = !none && status.state == PROFIL_STATE_ON,
		.reason = status.reason,
	};
	*counts = out;
	errno = saved;
	return 0;
}

/* Why samples ended before the program did. */
static const char *reason_text(uint32_t reason)
{
	switch (reason) {
	case PROFIL_REASON_UNMAPPED:
		return "the counters' memory was unmapped";
	case PROFIL_REASON_READONLY:
		return "the counters' memory was made read-only";
	case PROFIL_REASON_UNSUPPORTED:
		return "the counters' memory was replaced by a file's or a device's";
	case PROFIL_REASON_NOMEM:
		return "the kernel had no memory to pin the counters again";
	case PROFIL_REASON_MEMLOCK:
		return "RLIMIT_MEMLOCK (ulimit -l) is too small for a forked child";
	case PROFIL_REASON_FAULT:
		return "the counters' memory can no longer be written";
	default:
		return "of a reason that only a newer library knows";
	}
}

void profil_report_books(void)
{
	const char *why = "no memory";
	struct profil_counts counts;

	if (profil_counts_get(&counts, sizeof(counts)) != 0)
		return;
	if (profil_rate())
		why = "the machine stood still, or the rate is too high for it";
	if (counts.lost)
		profil_report("%llu of %llu samples lost: %s",
			      (unsigned long long)counts.lost,
			      (unsigned long long)counts.seen, why);
	if (counts.reason)
		profil_report("not sampled to the end: %s",
			      reason_text(counts.reason));
}
