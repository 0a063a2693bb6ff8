// SPDX-License-Identifier: MIT
/* /proc as a list of processes. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procs.h"
#include "util.h"

#define SIMILAR_MAX	5

static bool read_stat(struct proc *proc)
{
	char path[64], text[512], *open_paren, *close_paren;

	snprintf(path, sizeof(path), "/proc/%d/stat", proc->pid);
	if (!read_start(path, text, sizeof(text)))
		return false;
	open_paren = strchr(text, '(');
	/* A name may have parentheses of its own. */
	close_paren = strrchr(text, ')');
	if (!open_paren || !close_paren || close_paren < open_paren)
		return false;
	*close_paren = '\0';
	snprintf(proc->comm, sizeof(proc->comm), "%s", open_paren + 1);
	return sscanf(close_paren + 1, " %*c %d", &proc->ppid) == 1;
}

static char *read_exe(pid_t pid)
{
	char path[64], target[4096], *slash;
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	size = readlink(path, target, sizeof(target) - 1);
	target[size > 0 ? size : 0] = '\0';
	slash = strrchr(target, '/');
	return xstrdup(slash ? slash + 1 : target);
}

struct procs procs_read(void)
{
	struct procs procs = { 0 };
	DIR *dir = opendir("/proc");
	struct proc proc = { 0 };
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		proc.pid = atoi(entry->d_name);
		if (proc.pid <= 0 || !read_stat(&proc))
			continue;
		proc.exe = read_exe(proc.pid);
		procs.list = xgrow(procs.list, procs.nr, sizeof(*procs.list));
		procs.list[procs.nr++] = proc;
	}
	if (dir)
		closedir(dir);
	return procs;
}

void procs_free(struct procs *procs)
{
	size_t i;

	for (i = 0; i < procs->nr; i++)
		free(procs->list[i].exe);
	free(procs->list);
}

size_t procs_mark_name(struct procs *procs, const char *name)
{
	size_t marked = 0, i;

	for (i = 0; i < procs->nr; i++) {
		if (procs->list[i].pid == getpid() ||
		    (strcmp(procs->list[i].comm, name) != 0 &&
		     strcmp(procs->list[i].exe, name) != 0))
			continue;
		procs->list[i].marked = true;
		marked++;
	}
	return marked;
}

size_t procs_mark_pid(struct procs *procs, pid_t pid)
{
	size_t i;

	for (i = 0; i < procs->nr; i++) {
		if (procs->list[i].pid == pid) {
			procs->list[i].marked = true;
			return 1;
		}
	}
	return 0;
}

static bool is_marked(const struct procs *procs, pid_t pid)
{
	size_t i;

	for (i = 0; i < procs->nr; i++)
		if (procs->list[i].pid == pid)
			return procs->list[i].marked;
	return false;
}

void procs_mark_descendants(struct procs *procs)
{
	bool again = true;
	size_t i;

	while (again) {
		again = false;
		for (i = 0; i < procs->nr; i++) {
			struct proc *proc = &procs->list[i];

			if (proc->marked || proc->pid == getpid() ||
			    !is_marked(procs, proc->ppid))
				continue;
			proc->marked = true;
			again = true;
		}
	}
}

void procs_say_similar(const struct procs *procs, const char *name)
{
	size_t said = 0, i;

	warn("no process is called %s; %zu were seen%s", name, procs->nr,
	     name[strspn(name, "0123456789")] ? "" : "; one of this number is said by -p");
	for (i = 0; i < procs->nr && said < SIMILAR_MAX; i++) {
		if (!strcasestr(procs->list[i].comm, name) &&
		    !strcasestr(procs->list[i].exe, name))
			continue;
		warn("process %d is called %s", procs->list[i].pid,
		     procs->list[i].comm);
		said++;
	}
}
