// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every file named, cut off at every length, with every byte changed and with
 * every word one that makes sums overflow, goes through prof.c.
 * usage: sweep FILE...
 */
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define SIZE_MAX_FILE	(1 << 16)
#define SECONDS		10

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static char what[256];
static unsigned long nr;

static void say_what(void)
{
	fprintf(stderr, "%s\n", what);
}

static void out_of_time(int sig)
{
	(void)sig;
	abort();
}

/* Of CPU time, so that a loaded machine does not end it. */
static void set_limit(int seconds)
{
	struct itimerval limit = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &limit, NULL);
}

static void try(const unsigned char *data, size_t size)
{
	set_limit(SECONDS);
	LLVMFuzzerTestOneInput(data, size);
	set_limit(0);
	nr++;
}

static void cut(const char *name, const unsigned char *data, size_t size)
{
	size_t at;

	for (at = 0; at <= size; at++) {
		snprintf(what, sizeof(what), "%s: its first %zu bytes", name,
			 at);
		try(data, at);
	}
}

static void change_bytes(const char *name, unsigned char *data, size_t size)
{
	size_t at, i;

	for (at = 0; at < size; at++) {
		unsigned char old = data[at];
		const unsigned char new[] = { 0, 255, old ^ 1, old ^ 128 };

		for (i = 0; i < sizeof(new); i++) {
			snprintf(what, sizeof(what), "%s: byte %zu is %#x",
				 name, at, new[i]);
			data[at] = new[i];
			if (new[i] != old)
				try(data, size);
		}
		data[at] = old;
	}
}

static void change_words(const char *name, unsigned char *data, size_t size)
{
	static const uint64_t new[] = { 1ull << 60, -256ull };
	unsigned char old[sizeof(*new)];
	size_t at, i;

	for (at = 0; at + sizeof(old) <= size; at += 4) {
		memcpy(old, data + at, sizeof(old));
		for (i = 0; i < sizeof(new) / sizeof(*new); i++) {
			snprintf(what, sizeof(what), "%s: word %zu is %#llx",
				 name, at, (unsigned long long)new[i]);
			memcpy(data + at, &new[i], sizeof(old));
			try(data, size);
		}
		memcpy(data + at, old, sizeof(old));
	}
}

int main(int argc, char **argv)
{
	static unsigned char data[SIZE_MAX_FILE];
	size_t size;
	FILE *file;
	int i;

	__sanitizer_set_death_callback(say_what);
	signal(SIGPROF, out_of_time);
	if (!freopen("/dev/null", "w", stdout))
		return 1;
	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "r");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		size = fread(data, 1, sizeof(data), file);
		fclose(file);
		cut(argv[i], data, size);
		change_bytes(argv[i], data, size);
		change_words(argv[i], data, size);
	}
	fprintf(stderr, "%lu inputs\n", nr);
	return nr == 0;
}
