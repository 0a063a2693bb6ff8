// SPDX-License-Identifier: MIT
/* Joining processes that run already, and saying why one can't be joined. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "join.h"
#include "procs.h"
#include "threads.h"
#include "util.h"

#define PID_MAX	4194304
#define YAMA	"/proc/sys/kernel/yama/ptrace_scope"

char yama_scope(void)
{
	char scope[2];

	return read_start(YAMA, scope, sizeof(scope)) ? *scope : '0';
}

bool join_option(struct join *j, const char *text)
{
	size_t number;

	if (j->pid) {
		warn("-p %s: one process is followed, and -p %d names one already",
		     text, j->pid);
		return false;
	}
	number = number_option("-p", text);
	j->pid = (pid_t)number;
	if (number && number <= PID_MAX)
		return true;
	warn("-p %s: no process has this number", text);
	return false;
}

/* The owner of a directory in /proc is root if the process is private. */
static uid_t uid_of(pid_t pid)
{
	char path[64], text[1024], *line;
	uid_t uid = geteuid();

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (!read_start(path, text, sizeof(text)))
		return uid;
	line = strstr(text, "\nUid:");
	if (line)
		uid = (uid_t)strtoul(line + 5, NULL, 10);
	return uid;
}

static void say_denied(const char *command, pid_t pid)
{
	const struct passwd *user;
	uid_t uid = uid_of(pid);

	if (!geteuid()) {
		warn("process %d: root may not look at it, without CAP_SYS_PTRACE: in a container it is --cap-add SYS_PTRACE",
		     pid);
	} else if (uid != geteuid()) {
		/* A static program can't ask what the system is set up to. */
		user = PROFIL_STATIC ? NULL : getpwuid(uid);
		warn("process %d belongs to %s: sudo profil %s -p %d", pid,
		     user ? user->pw_name : "another user", command, pid);
	} else if (yama_scope() != '0') {
		warn("process %d: kernel.yama.ptrace_scope=%c allows you your own children only: start it by profil run, or sudo profil %s -p %d",
		     pid, yama_scope(), command, pid);
	} else {
		warn("process %d is private (set-user-ID, or PR_SET_DUMPABLE 0): sudo profil %s -p %d",
		     pid, command, pid);
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

static bool join_process(const struct join *j, pid_t pid)
{
	char path[64];
	int mem, err;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0 && (errno == EACCES || errno == EPERM)) {
		say_denied(j->command, pid);
		return false;
	}
	if (mem < 0) {
		if (errno == ENOENT && access("/proc/self", F_OK))
			warn("/proc is not mounted, which %s needs", j->command);
		else if (errno == ENOENT)
			warn("there is no process %d", pid);
		else
			warn("%s: %s", path, strerror(errno));
		return false;
	}
	err = observe_join_mem(j->observer, pid, mem, j->follow);
	close(mem);
	if (!err)
		threads_begin(pid);
	if (err && err != EALREADY)
		say_not_joined(pid, err);
	return !err || err == EALREADY;
}

/* How many were joined. */
static size_t join_all(const struct join *j, struct procs *procs)
{
	size_t joined = 0, i;

	if (j->descendants)
		procs_mark_descendants(procs);
	for (i = 0; i < procs->nr; i++)
		if (procs->list[i].marked)
			joined += join_process(j, procs->list[i].pid);
	return joined;
}

static size_t join_name(const struct join *j, struct procs *procs)
{
	size_t i;

	if (!procs_mark_name(procs, j->name)) {
		procs_say_similar(procs, j->name);
		return 0;
	}
	for (i = 0; !j->quiet && i < procs->nr; i++)
		if (procs->list[i].marked)
			warn("process %d: %s", procs->list[i].pid,
			     procs->list[i].comm);
	return join_all(j, procs);
}

static size_t count_left_out(struct procs *procs)
{
	size_t nr = 0, i;

	procs_mark_descendants(procs);
	for (i = 0; i < procs->nr; i++)
		nr += procs->list[i].marked;
	return nr ? nr - 1 : 0;
}

void join_say_left_out(size_t nr)
{
	if (nr)
		warn("%zu that it started before %s left out: --descendants takes them",
		     nr, nr == 1 ? "is" : "are");
}

static size_t join_pid(struct join *j, struct procs *procs)
{
	bool found = procs_mark_pid(procs, j->pid);
	size_t joined;

	if (found && j->descendants)
		return join_all(j, procs);
	joined = join_process(j, j->pid);
	if (joined && found)
		j->left_out = count_left_out(procs);
	return joined;
}

size_t join_processes(struct join *j)
{
	struct procs procs = procs_read();
	size_t joined = j->name ? join_name(j, &procs) : join_pid(j, &procs);

	procs_free(&procs);
	return joined;
}
