// SPDX-License-Identifier: MIT
/*
 * Messages: one line on standard error each, whatever stdio is doing; also in
 * a signal handler.  No line comes twice, also not from a forked child.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <profil.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "block.h"
#include "hold.h"

#define LINE_SIZE	1024
#define LINES_KEPT	128

/* Has no translations to load; not in every C library. */
#if defined(__GLIBC__)
#pragma weak strerrordesc_np
const char *strerrordesc_np(int error);
#endif

/* What standard error was at the start: 0 or errno, and which file. */
static struct {
	bool known;
	int error;
	dev_t dev;
	ino_t ino;
} begin;

/* Hashes of the lines that were said. */
static uint64_t said_here[LINES_KEPT];
static uint64_t *said = said_here;

const char *profil_error(int error)
{
	const char *text = NULL;

#if defined(__GLIBC__)
	if (strerrordesc_np)
		text = strerrordesc_np(error);
#endif
	return text ? text : strerror(error);
}

static __attribute__((constructor(101))) void look_at_stderr(void)
{
	int saved = errno;
	struct stat st;

	begin.error = fstat(STDERR_FILENO, &st) == 0 ? 0 : errno;
	if (!begin.error) {
		begin.dev = st.st_dev;
		begin.ino = st.st_ino;
	}
	begin.known = true;
	errno = saved;
}

/* A socket of a network service has another program at its end. */
static bool is_local(int fd)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(address);

	return getsockname(fd, (struct sockaddr *)&address, &len) == 0 &&
	       address.ss_family == AF_UNIX;
}

/*
 * A program that closed standard error may have its own data under that number:
 * only a file that was opened for lines to be added is taken for a log then.
 */
static bool stderr_fits(void)
{
	struct stat st;

	if (fstat(STDERR_FILENO, &st) != 0)
		return false;
	if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
		return false;
	if (!begin.known ||
	    (!begin.error && st.st_dev == begin.dev && st.st_ino == begin.ino))
		return !S_ISSOCK(st.st_mode) || is_local(STDERR_FILENO);
	return isatty(STDERR_FILENO) ||
	       (S_ISREG(st.st_mode) &&
		(fcntl(STDERR_FILENO, F_GETFL) & O_APPEND));
}

/* The line, with its end, on standard error; false: there it is not. */
bool profil_report_line(const char *line, size_t len)
{
	struct profil_held held;
	int saved = errno;
	bool written;

	if (!stderr_fits()) {
		errno = saved;
		return false;
	}
	profil_hold(&held);
	written = write(STDERR_FILENO, line, len) == (ssize_t)len;
	profil_release(&held);
	errno = saved;
	return written;
}

/* Not by syslog(): its descriptor and name are the program's. */
static void to_syslog(const char *text)
{
	struct sockaddr_un log = { .sun_family = AF_UNIX,
				   .sun_path = "/dev/log" };
	char line[LINE_SIZE + 128];
	int fd;

	snprintf(line, sizeof(line), "<%d>%s[%ld]: %s",
		 LOG_USER | LOG_ERR, program_invocation_short_name,
		 (long)getpid(), text);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	sendto(fd, line, strlen(line), MSG_NOSIGNAL, (struct sockaddr *)&log,
	       sizeof(log));
	close(fd);
}

void profil_report_share(void)
{
	uint64_t *shared;

	if (said != said_here)
		return;
	shared = mmap(NULL, sizeof(said_here), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return;
	memcpy(shared, said_here, sizeof(said_here));
	__atomic_store_n(&said, shared, __ATOMIC_RELEASE);
}

bool profil_report_first(const char *text)
{
	uint64_t *lines = __atomic_load_n(&said, __ATOMIC_ACQUIRE);
	uint64_t hash = 14695981039346656037ull;
	uint64_t other;
	int i;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211ull;
	hash |= !hash;
	for (i = 0; i < LINES_KEPT; i++) {
		other = 0;
		if (__atomic_compare_exchange_n(&lines[i], &other, hash, false,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
		if (other == hash)
			return false;
	}
	return true;
}

static void report_line(bool keep, const char *format, va_list args)
{
	static const char prefix[] = "libprofil: ";
	size_t used = sizeof(prefix) - 1;
	int cancel = profil_cancel_disable();
	char line[LINE_SIZE];
	int saved = errno;

	__atomic_store_n(&profil_asked, true, __ATOMIC_RELAXED);
	memcpy(line, prefix, used + 1);
	if (vsnprintf(line + used, sizeof(line) - used - 1, format, args) > 0)
		used += strlen(line + used);
	if (profil_report_first(line)) {
		line[used] = '\n';
		line[used + 1] = '\0';
		if (!profil_report_line(line, used + 1) && keep) {
			line[used] = '\0';
			to_syslog(line);
		}
	}
	profil_cancel_restore(cancel);
	errno = saved;
}

void profil_report(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_line(false, format, args);
	va_end(args);
}

void profil_report_lost(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_line(true, format, args);
	va_end(args);
}
