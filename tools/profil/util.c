// SPDX-License-Identifier: MIT
/* Messages, and memory that is there or ends the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

static void print_message(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

static void print_message(const char *format, va_list args)
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
	print_message(format, args);
	va_end(args);
}

static int fault_status;

void faults_exit(int status)
{
	fault_status = status;
}

void die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(format, args);
	va_end(args);
	exit(fault_status ? fault_status : status);
}

/* The descriptor that a name in /dev stands for, or -1. */
static int descriptor_of(const char *path)
{
	int nr, end = 0;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	if ((sscanf(path, "/dev/fd/%d%n", &nr, &end) == 1 ||
	     sscanf(path, "/proc/self/fd/%d%n", &nr, &end) == 1) && !path[end])
		return nr;
	return -1;
}

static bool is_special(const struct stat *st)
{
	return !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode) &&
	       !S_ISLNK(st->st_mode) &&
	       (!st->st_uid || st->st_uid == geteuid());
}

int open_special(const char *path)
{
	struct stat st;
	int fd = descriptor_of(path);

	if (fd >= 0)
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	errno = 0;
	if (lstat(path, &st) || !is_special(&st)) {
		errno = 0;
		return -1;
	}
	/* It may be another file by now. */
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (fd >= 0 && (fstat(fd, &st) || !is_special(&st))) {
		close(fd);
		errno = EEXIST;
		return -1;
	}
	return fd;
}

bool read_start(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

static void *need_memory(void *memory)
{
	if (!memory)
		die(STATUS_USAGE, "out of memory");
	return memory;
}

void *xmalloc(size_t size)
{
	return need_memory(malloc(size));
}

void *xcalloc(size_t nr, size_t size)
{
	return need_memory(calloc(nr, size));
}

char *xstrdup(const char *text)
{
	return need_memory(strdup(text));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return need_memory(length < 0 ? NULL : text);
}

void *xgrow(void *array, size_t nr, size_t size)
{
	if (nr & (nr - 1))
		return array;
	return need_memory(reallocarray(array, nr ? 2 * nr : 1, size));
}

size_t number_option(const char *option, const char *value)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (errno || *value < '0' || *value > '9' || *end)
		die(STATUS_USAGE, "%s is a number, not %s", option, value);
	return number;
}

char *join_words(char **words)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(STATUS_USAGE, "out of memory");
	for (; *words; words++)
		fprintf(out, "%s%s", *words, words[1] ? " " : "");
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return text;
}
