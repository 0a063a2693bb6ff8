// SPDX-License-Identifier: MIT
/*
 * Messages: one line on standard error each, whatever stdio is doing; also in
 * a signal handler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <profil.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* Has no translations to load; not in every C library. */
#if defined(__GLIBC__)
#pragma weak strerrordesc_np
const char *strerrordesc_np(int error);
#endif

const char *profil_error(int error)
{
	const char *text = NULL;

#if defined(__GLIBC__)
	if (strerrordesc_np)
		text = strerrordesc_np(error);
#endif
	return text ? text : strerror(error);
}

void profil_report(const char *format, ...)
{
	static const char prefix[] = "libprofil: ";
	int saved = errno;
	char line[512];
	size_t used = sizeof(prefix) - 1;
	va_list args;
	int len;

	memcpy(line, prefix, used);
	va_start(args, format);
	len = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	if (len > 0)
		used += strlen(line + used);
	line[used++] = '\n';
	/* If that fails there is nobody to tell. */
	(void)!write(STDERR_FILENO, line, used);
	errno = saved;
}

void profil_report_no_samples(void)
{
	profil_report("no samples, only calls: /dev/profil: %s%s",
		      profil_error(errno),
		      errno == ENODEV ? " (try: modprobe profil)" : "");
}

void profil_report_books(void)
{
	struct profil_counts counts;

	if (profil_counts_get(&counts, sizeof(counts)) != 0)
		return;
	if (counts.lost)
		profil_report("%llu of %llu samples lost: no memory",
			      (unsigned long long)counts.lost,
			      (unsigned long long)counts.seen);
	if (counts.reason == PROFIL_REASON_MEMLOCK)
		profil_report("RLIMIT_MEMLOCK (ulimit -l) is too small: no samples of this child");
	else if (counts.reason)
		profil_report("not sampled to the end: reason %u of <profil/ioctl.h>",
			      counts.reason);
}
