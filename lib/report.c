// SPDX-License-Identifier: MIT
/*
 * One line on standard error, in one write, whatever stdio is doing; also in
 * a signal handler.
 */
#define _GNU_SOURCE
#include <errno.h>
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
	if (write(STDERR_FILENO, line, used) < 0)
		used = 0;
	errno = saved;
}
