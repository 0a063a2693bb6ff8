// SPDX-License-Identifier: MIT
/* Messages, and memory that is there or ends the program. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static void message(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

static void message(const char *format, va_list args)
{
	char *text;

	fflush(stdout);
	fputs("profil: ", stderr);
	if (vasprintf(&text, format, args) >= 0) {
		text_print(stderr, text);
		free(text);
	}
	fputc('\n', stderr);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
}

void die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
	exit(status);
}

static void *need(void *memory)
{
	if (!memory)
		die(STATUS_USAGE, "out of memory");
	return memory;
}

void *xmalloc(size_t size)
{
	return need(malloc(size));
}

void *xcalloc(size_t nr, size_t size)
{
	return need(calloc(nr, size));
}

char *xstrdup(const char *text)
{
	return need(strdup(text));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return need(length < 0 ? NULL : text);
}

void *xgrow(void *array, size_t nr, size_t size)
{
	if (nr & (nr - 1))
		return array;
	return need(reallocarray(array, nr ? 2 * nr : 1, size));
}
