// SPDX-License-Identifier: MIT
/*
 * Says which objects have functions without a name, and what would name them:
 * the package of the debug file, or debuginfod.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disk.h"
#include "fetch.h"
#include "nameless.h"
#include "naming.h"
#include "rows.h"
#include "util.h"

/* Lines at most, and percent of all samples at least. */
#define MAX_OBJECTS	3
#define MIN_PERCENT	1

struct nameless {
	const struct mapping *mapping;
	uint64_t samples;
};

static void count_nameless(struct nameless *list, size_t *nr,
			   const struct mapping *mapping, uint64_t samples)
{
	size_t i;

	for (i = 0; i < *nr && list[i].mapping->path != mapping->path; i++)
		;
	if (i == *nr)
		list[(*nr)++] = (struct nameless){ .mapping = mapping };
	list[i].samples += samples;
}

static int by_samples_down(const void *a, const void *b)
{
	const struct nameless *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->mapping->path, y->mapping->path);
}

/* The word before a colon or comma, if it is the name of a package. */
static char *package_in(char *line)
{
	size_t length = strcspn(line, ":,");

	if (!length || !line[length] ||
	    strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789+.-") != length)
		return NULL;
	line[length] = '\0';
	return xstrdup(line);
}

/* What dpkg-query answers, or NULL where it can't be asked. */
static FILE *ask_dpkg(char *path, char *other, pid_t *pid)
{
	char *argv[] = { "dpkg-query", "-S", path, other, NULL };
	posix_spawn_file_actions_t actions;
	FILE *answer = NULL;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!error)
		answer = fdopen(ends[0], "r");
	if (!answer)
		close(ends[0]);
	return answer;
}

/* The Debian package of a file, allocated; NULL if it is not known. */
static char *package_of(const char *path)
{
	char *package = NULL, *line = NULL, *name, *other;
	size_t room = 0;
	FILE *answer;
	pid_t pid;

	/* What dpkg-query takes for a pattern. */
	if (strpbrk(path, "*?[\\"))
		return NULL;
	/* A package may have it by the name that /usr was merged from. */
	name = xstrdup(path);
	other = !strncmp(path, "/usr/", 5) ? xstrdup(path + 4) :
					     xasprintf("/usr%s", path);
	answer = ask_dpkg(name, other, &pid);
	while (answer && getline(&line, &room, answer) > 0)
		if (!package)
			package = package_in(line);
	if (answer) {
		fclose(answer);
		waitpid(pid, NULL, 0);
	}
	free(line);
	free(name);
	free(other);
	return package;
}

/* Allocated; NULL for what is no file, as the memory of a JIT. */
static char *what_names(const struct model *m, const struct mapping *mapping)
{
	char *why, *package = NULL, *text;
	int fd = disk_open(m, mapping, &why);

	free(why);
	if (fd >= 0) {
		close(fd);
		package = package_of(mapping->path);
	}
	if (package)
		text = xasprintf("install %s-dbgsym or %s-dbg%s", package,
				 package, fetch_has_servers() ? "" :
				 ", or set DEBUGINFOD_URLS");
	else if (!*mapping->build_id)
		text = fd < 0 ? NULL :
		       xstrdup("build it without -s: it has no build id, by which a debug file is found");
	else if (fetch_has_servers())
		text = xstrdup("DEBUGINFOD_URLS sent no debug file: give its directory by --debug-dir");
	else
		text = xstrdup("set DEBUGINFOD_URLS, or give its debug file's directory by --debug-dir");
	free(package);
	return text;
}

void nameless_print(FILE *out, const struct model *m)
{
	struct nameless *list = xcalloc(m->nr_mappings + 1, sizeof(*list));
	uint64_t all = model_samples(m);
	size_t nr = 0, i;
	char *text;

	for (i = 0; i < m->nr_samples; i++) {
		const struct sample *sample = &m->samples[i];
		const struct location *loc =
			&m->locations[sample->locations[0]];

		if (sample_kernel(sample) < 0 && loc->mapping &&
		    *m->mappings[loc->mapping].path == '/' &&
		    naming_lacks(m, loc))
			count_nameless(list, &nr, &m->mappings[loc->mapping],
				       sample->count);
	}
	if (nr)
		qsort(list, nr, sizeof(*list), by_samples_down);
	for (i = 0; i < nr && i < MAX_OBJECTS; i++) {
		if (list[i].samples * 100 < all * MIN_PERCENT)
			break;
		text = what_names(m, list[i].mapping);
		if (!text)
			continue;
		fprintf(out, "no names: %.1f %% in ",
			100.0 * list[i].samples / all);
		text_print(out, base_name(list[i].mapping->path));
		fprintf(out, "; %s\n", text);
		free(text);
	}
	free(list);
}
