// SPDX-License-Identifier: MIT
/* Messages, and the end where there is no going on. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "prof.h"

static void say_line(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

static void say_line(const char *format, va_list args)
{
	char *text;

	fflush(stdout);
	fputs("prof: ", stderr);
	if (vasprintf(&text, format, args) >= 0)
		text_print(stderr, text);
	fputc('\n', stderr);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_line(format, args);
	va_end(args);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_line(format, args);
	va_end(args);
	exit(1);
}

/* It grows at each power of two. */
void *more(void *array, size_t nr, size_t size)
{
	if (nr & (nr - 1))
		return array;
	array = reallocarray(array, nr ? 2 * nr : 1, size);
	if (!array)
		die("out of memory");
	return array;
}
