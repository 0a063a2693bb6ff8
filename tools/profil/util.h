/* SPDX-License-Identifier: MIT */
/* Messages, memory and the safe printing of names, for all of profil. */
#ifndef PROFIL_UTIL_H
#define PROFIL_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The one file of make profil-static, which loads no library. */
#ifndef PROFIL_STATIC
#define PROFIL_STATIC	0
#endif

/* Exit statuses of the commands that read. */
#define STATUS_NOT_FOUND	1	/* no such function, file or process */
#define STATUS_USAGE		2	/* wrong use, or a file that is damaged */

/*
 * util.c: one line on standard error, "profil: " before it, printed safely.
 * A message names the cause and what to do.
 */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void die(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* From now on die() ends with this status, whatever it is given. */
void faults_exit(int status);

/* The value of an option; what is no number ends the program. */
size_t number_option(const char *option, const char *value);

/* The beginning of a small file as text; false: there is no such file. */
bool read_start(const char *path, char *text, size_t size);

/*
 * Opens what must be written in place, because a new file would replace it for all
 * programs: a device or a FIFO of this user or of root, /dev/stdout, /dev/fd/N.
 * Returns -1 and errno after a fault, -1 and errno 0 for any other path.
 */
int open_special(const char *path);

/* These never return NULL; without memory the program ends. */
void *xmalloc(size_t size);
void *xcalloc(size_t nr, size_t size);
char *xstrdup(const char *text);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With a space between two; the list ends with NULL. */
char *join_words(char **words);
/* Room for one element more than nr; grows by doubling at powers of two. */
void *xgrow(void *array, size_t nr, size_t size);

/*
 * text.c: control characters, bytes that are not UTF-8, and characters that
 * change the direction of text are printed as \xNN.  Returns the columns used.
 */
size_t text_print(FILE *out, const char *text);
/* The same into allocated memory. */
char *text_safe(const char *text);
/* How many columns it takes, if it is safe. */
size_t text_columns(const char *text);
/* At most so many bytes of the beginning, whole characters, allocated. */
char *text_begin(const char *text, size_t size);

/* tools/prof/demangle.c: readable until the next call, or the name itself. */
const char *demangle(const char *name);

#endif /* PROFIL_UTIL_H */
