// SPDX-License-Identifier: MIT
/* profil attach: records processes that run already. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "commands.h"
#include "procs.h"
#include "process.h"
#include "record.h"
#include "util.h"

#define YAMA	"/proc/sys/kernel/yama/ptrace_scope"

struct attach {
	struct recording r;
	const char *name;
	pid_t pid;
	bool descendants, follow;
	double rate, seconds, delay;
};

static void usage(FILE *out)
{
	fputs("usage: profil attach [OPTION...] -p PID | NAME\n"
	      "\n"
	      "Records where running processes spend their CPU time: until they end, the\n"
	      "time is over, or ^C.  NAME is a process's name or that of its executable.\n"
	      "\n"
	      "  -p PID         this process\n"
	      "  -d SECONDS     for so long\n"
	      "  -D SECONDS     begin after this delay\n"
	      "  -o FILE        the profile (./profil.pb.gz)\n"
	      "  -r RATE        samples a second of CPU time (1000)\n"
	      "  -q             no summary\n"
	      "  --descendants  what it has started before, too\n"
	      "  --no-follow    not what it starts from now on\n", out);
}

static char yama_scope(void)
{
	char scope = '0';
	int fd = open(YAMA, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return scope;
	if (read(fd, &scope, 1) != 1)
		scope = '0';
	close(fd);
	return scope;
}

/* The owner of a directory in /proc is root if the process is private. */
static uid_t uid_of(pid_t pid)
{
	char path[64], text[1024], *line;
	uid_t uid = geteuid();
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return uid;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[size > 0 ? size : 0] = '\0';
	line = strstr(text, "\nUid:");
	if (line)
		uid = (uid_t)strtoul(line + 5, NULL, 10);
	return uid;
}

static void say_denied(pid_t pid)
{
	const struct passwd *user;
	uid_t uid = uid_of(pid);

	if (uid != geteuid()) {
		user = getpwuid(uid);
		warn("process %d belongs to %s: sudo profil attach -p %d", pid,
		     user ? user->pw_name : "another user", pid);
	} else if (yama_scope() != '0') {
		warn("process %d: kernel.yama.ptrace_scope=%c allows you your own children only: start it by profil run, or sudo profil attach -p %d",
		     pid, yama_scope(), pid);
	} else {
		warn("process %d is private (set-user-ID, or PR_SET_DUMPABLE 0): sudo profil attach -p %d",
		     pid, pid);
	}
}

static void say_not_joined(pid_t pid, int err)
{
	switch (err) {
	case ESRCH:
		warn("process %d has ended", pid);
		break;
	case EBUSY:
		warn("process %d has %d observers already", pid,
		     PROFIL_OBSERVERS_MAX);
		break;
	case EAGAIN:
		warn("too many processes of this user are watched");
		break;
	case EOPNOTSUPP:
		warn("this kernel can't follow a process that runs already: start it by profil run");
		break;
	default:
		warn("process %d: PROFIL_IOC_JOIN: %s", pid, strerror(err));
	}
}

static bool join(struct attach *a, pid_t pid)
{
	char path[64];
	int mem, err;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0 && (errno == EACCES || errno == EPERM)) {
		say_denied(pid);
		return false;
	}
	if (mem < 0) {
		if (errno == ENOENT && access("/proc/self", F_OK))
			warn("/proc is not mounted, which attach needs");
		else if (errno == ENOENT)
			warn("there is no process %d", pid);
		else
			warn("%s: %s", path, strerror(errno));
		return false;
	}
	err = observe_join_mem(&a->r.observer, pid, mem, a->follow);
	close(mem);
	if (err && err != EALREADY)
		say_not_joined(pid, err);
	return !err || err == EALREADY;
}

/* How many were joined. */
static size_t join_all(struct attach *a, struct procs *procs)
{
	size_t joined = 0, i;

	if (a->descendants)
		procs_mark_descendants(procs);
	for (i = 0; i < procs->nr; i++)
		if (procs->list[i].marked)
			joined += join(a, procs->list[i].pid);
	return joined;
}

static size_t join_name(struct attach *a, struct procs *procs)
{
	size_t i;

	if (!procs_mark_name(procs, a->name)) {
		procs_say_similar(procs, a->name);
		return 0;
	}
	for (i = 0; i < procs->nr; i++)
		if (procs->list[i].marked)
			warn("process %d: %s", procs->list[i].pid,
			     procs->list[i].comm);
	return join_all(a, procs);
}

static size_t join_pid(struct attach *a, struct procs *procs)
{
	if (procs_mark_pid(procs, a->pid) && a->descendants)
		return join_all(a, procs);
	return join(a, a->pid);
}

static int catch_ends(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int attach(struct attach *a, char **argv)
{
	int signals = catch_ends();
	struct pollfd poll_fd = { .fd = signals, .events = POLLIN };
	struct procs procs;
	int64_t until = 0;
	size_t joined;

	if (poll(&poll_fd, 1, (int)(a->delay * 1000)) > 0)
		return STATUS_NOT_FOUND;
	if (!record_open(&a->r, (uint32_t)a->rate, argv))
		return STATUS_USAGE;
	procs = procs_read();
	joined = a->name ? join_name(a, &procs) : join_pid(a, &procs);
	procs_free(&procs);
	if (!joined)
		return STATUS_NOT_FOUND;
	if (a->seconds > 0)
		until = now_ns() + (int64_t)(a->seconds * 1e9);
	record_wait(&a->r, signals, until);
	return record_finish(&a->r) ? 0 : STATUS_NOT_FOUND;
}

static bool take_option(struct attach *a, int option, const char *text)
{
	double pid;

	switch (option) {
	case 'd':
		return record_number("-d", text, 1e6, &a->seconds);
	case 'D':
		return record_number("-D", text, 1e6, &a->delay);
	case 'c':
		a->descendants = true;
		return true;
	case 'n':
		a->follow = false;
		return true;
	case 'o':
		a->r.output = text;
		return true;
	case 'p':
		if (!record_number("-p", text, INT32_MAX, &pid))
			return false;
		a->pid = (pid_t)pid;
		return true;
	case 'q':
		a->r.quiet = true;
		return true;
	case 'r':
		return record_number("-r", text, RATE_MAX, &a->rate);
	default:
		usage(stderr);
		return false;
	}
}

int cmd_attach(int argc, char **argv)
{
	static const struct option options[] = {
		{ "descendants", no_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "no-follow", no_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 }
	};
	struct attach a = { .follow = true, .rate = RATE_DEFAULT };
	int option;

	while ((option = getopt_long(argc, argv, "d:D:ho:p:qr:", options,
				     NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return 0;
		}
		if (!take_option(&a, option, optarg))
			return STATUS_USAGE;
	}
	if (optind < argc)
		a.name = argv[optind++];
	if (optind < argc || !a.pid == !a.name) {
		usage(stderr);
		return STATUS_USAGE;
	}
	return attach(&a, argv);
}
