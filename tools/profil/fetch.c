// SPDX-License-Identifier: MIT
/*
 * Asking debuginfod for a debug file, by the library of elfutils.
 *
 * libdebuginfod is loaded only when it is wanted, as libdw does, because it
 * brings curl with it.  Its own limits of time hold for one server each, so
 * that the progress function ends what takes longer.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fetch.h"
#include "util.h"

#define LIBRARY		"libdebuginfod.so.1"
#define SECONDS		10	/* for all questions together */

struct client;

static struct library {
	struct client *(*begin)(void);
	int (*find)(struct client *client, const unsigned char *id, int size,
		    char **path);
	void (*set_progress)(struct client *client,
			     int (*progress)(struct client *client, long done,
					     long all));
} library;
static struct client *client;
static char *urls;
static double spent, begun;
static const char *wanted;
static bool said;

static double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* A return other than 0 ends the question. */
static int on_progress(struct client *of, long done, long all)
{
	double seconds = seconds_now() - begun;

	(void)of;
	if (isatty(STDERR_FILENO) && seconds > 1) {
		fputs("\rfetching debug information of ", stderr);
		text_print(stderr, wanted);
		if (all > 0)
			fprintf(stderr, ": %ld %%", 100 * done / all);
		fputs("\033[K\r", stderr);
		said = true;
	}
	return spent + seconds > SECONDS;
}

void fetch_prepare(void)
{
	const char *set = getenv("DEBUGINFOD_URLS");

	if (!set || !*set || urls)
		return;
	urls = xstrdup(set);
	unsetenv("DEBUGINFOD_URLS");
	setenv("DEBUGINFOD_TIMEOUT", "10", 0);
}

bool fetch_has_servers(void)
{
	return urls;
}

static bool load_library(void)
{
	static bool tried;
	void *loaded;

	if (tried)
		return client;
	tried = true;
	/* It would bring a second C library with it. */
	if (PROFIL_STATIC) {
		warn("DEBUGINFOD_URLS is set, but this profil is a static one: it asks no server");
		return false;
	}
	loaded = dlopen(LIBRARY, RTLD_NOW);
	if (!loaded) {
		warn("DEBUGINFOD_URLS is set, but %s is not here: install libdebuginfod1",
		     LIBRARY);
		return false;
	}
	*(void **)&library.begin = dlsym(loaded, "debuginfod_begin");
	*(void **)&library.find = dlsym(loaded, "debuginfod_find_debuginfo");
	*(void **)&library.set_progress = dlsym(loaded,
						"debuginfod_set_progressfn");
	if (!library.begin || !library.find || !library.set_progress)
		return false;
	client = library.begin();
	if (client)
		library.set_progress(client, on_progress);
	return client;
}

static int ask_servers(const char *build_id)
{
	int fd;

	begun = seconds_now();
	said = false;
	setenv("DEBUGINFOD_URLS", urls, 1);
	/* A size of 0 says that the id is hexadecimal. */
	fd = library.find(client, (const unsigned char *)build_id, 0, NULL);
	unsetenv("DEBUGINFOD_URLS");
	if (said)
		fputs("\033[K", stderr);
	spent += seconds_now() - begun;
	if (spent > SECONDS)
		warn("debuginfod has taken %d seconds: what it did not send is left out this time",
		     SECONDS);
	return fd < 0 ? -1 : fd;
}

int fetch_debug(const char *path, const char *build_id)
{
	static struct asked {
		char *build_id;
		int fd;
	} *asked;
	static size_t nr;
	const char *slash = strrchr(path, '/');
	size_t i;
	int fd;

	if (!urls)
		return -1;
	for (i = 0; i < nr; i++)
		if (!strcmp(asked[i].build_id, build_id))
			return asked[i].fd < 0 ? -1 : dup(asked[i].fd);
	if (spent > SECONDS || !load_library())
		return -1;
	wanted = slash ? slash + 1 : path;
	fd = ask_servers(build_id);
	asked = xgrow(asked, nr, sizeof(*asked));
	asked[nr++] = (struct asked){ xstrdup(build_id), fd };
	return fd < 0 ? -1 : dup(fd);
}
