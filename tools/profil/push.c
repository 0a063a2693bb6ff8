// SPDX-License-Identifier: MIT
/*
 * profil push: sends a profile to a store of profiles, as Pyroscope's POST /ingest
 * takes it.  curl speaks to the server, so that proxies, TLS and netrc are its.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "pprof.h"
#include "util.h"

#define ANSWER_MAX	4096
#define SECONDS		"30"
#define HEADERS_MAX	16

/* What ends with curl as its exit status. */
enum {
	CURL_NO_HOST = 6, CURL_NOT_CONNECTED = 7, CURL_TIMEOUT = 28,
	CURL_MISSING = 127,
};

struct push {
	const char *file, *url, *name;
	const char *headers[HEADERS_MAX];
	size_t nr_headers;
};

static const char usage[] =
	"usage: profil push [-i FILE] [--name NAME] [--header HEADER]... URL\n"
	"\n"
	"Sends a profile to a server of Pyroscope at URL, by curl.\n"
	"\n"
	"  -i FILE          the profile (profil.pb.gz)\n"
	"  --name NAME      what it is called there (the program's name)\n"
	"  --header HEADER  one more line for the server, or @FILE that has it\n"
	"  --help           this text\n";

static void put_encoded(FILE *out, const char *text)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";

	for (; *text; text++) {
		if (strchr(plain, *text))
			fputc(*text, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*text);
	}
}

/* The program with the most samples, which names what attach recorded. */
static const char *most_sampled(const struct model *m)
{
	uint64_t *counts = xcalloc(m->nr_texts, sizeof(*counts));
	const struct label *program;
	size_t i, most = 0;

	for (i = 0; i < m->nr_samples; i++) {
		program = sample_label(&m->samples[i], LABEL_PROGRAM);
		if (program && program->str)
			counts[model_string_nr(program->str)] +=
				m->samples[i].count;
	}
	for (i = 1; i < m->nr_texts; i++)
		if (counts[i] > counts[most])
			most = i;
	free(counts);
	return m->texts[most];
}

/* The first word of the command, without its directory. */
static char *program_of(const struct model *m)
{
	const char *command = strncmp(m->command, "profil attach ", 14) != 0 ?
			      m->command : most_sampled(m);
	size_t length = strcspn(command, " ");
	char *word = xasprintf("%.*s", (int)length, command);
	char *slash = strrchr(word, '/');
	char *name = xstrdup(slash ? slash + 1 : word);

	free(word);
	return name;
}

/* A server's address gets the path of Pyroscope; one with a path has its own. */
static char *address_of(const struct push *push, const struct model *m,
			time_t written)
{
	const char *host = strstr(push->url, "://") + 3;
	const char *path = host + strcspn(host, "/?");
	const char *query = path + strcspn(path, "?");
	int64_t from = m->time_ns / 1000000000, until;
	char *text = NULL, *name;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(STATUS_USAGE, "out of memory");
	if (from <= 0)
		from = written;
	until = (m->time_ns + m->duration_ns) / 1000000000;
	if (until <= from)
		until = from + 1;
	name = push->name ? xstrdup(push->name) : program_of(m);
	fprintf(out, "%.*s", (int)(path - push->url), push->url);
	if (query - path > 1)
		fprintf(out, "%.*s", (int)(query - path), path);
	else
		fputs("/ingest", out);
	fprintf(out, "%s%cname=", query, *query ? '&' : '?');
	put_encoded(out, *name ? name : "profil");
	fprintf(out, "&from=%" PRId64 "&until=%" PRId64
		"&format=pprof&spyName=profil", from, until);
	if (m->rate)
		fprintf(out, "&sampleRate=%" PRIu64, m->rate);
	free(name);
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return text;
}

static void run_curl(const struct push *push, const char *address, int to)
{
	const char *argv[16 + 2 * HEADERS_MAX] = {
		"curl", "--silent", "--show-error", "--max-time", SECONDS,
		"--write-out", "\n%{http_code}", "--globoff",
		"--netrc-optional", "--form",
		"profile=@-;filename=profile.pb.gz;type=application/octet-stream",
	};
	int in = open(push->file, O_RDONLY);
	size_t nr = 11, i;

	for (i = 0; i < push->nr_headers; i++) {
		argv[nr++] = "--header";
		argv[nr++] = push->headers[i];
	}
	argv[nr++] = "--url";
	argv[nr] = address;
	if (in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(to, STDOUT_FILENO) < 0 || dup2(to, STDERR_FILENO) < 0)
		_exit(126);
	execvp("curl", (char **)argv);
	_exit(errno == ENOENT ? CURL_MISSING : 126);
}

/* Its exit status, and what it and the server said. */
static int ask_server(const struct push *push, const char *address, char *answer)
{
	int ends[2], status;
	size_t size = 0;
	char rest[512];
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		die(STATUS_USAGE, "pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		run_curl(push, address, ends[1]);
	close(ends[1]);
	if (pid < 0)
		die(STATUS_USAGE, "fork: %s", strerror(errno));
	while ((got = read(ends[0], rest, sizeof(rest))) > 0) {
		/* The status is the end of it. */
		if (size + (size_t)got > ANSWER_MAX) {
			memmove(answer, answer + got, size - (size_t)got);
			size -= (size_t)got;
		}
		memcpy(answer + size, rest, (size_t)got);
		size += (size_t)got;
	}
	answer[size] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

static void say_failed(const struct push *push, int status, const char *answer)
{
	switch (status) {
	case CURL_MISSING:
		warn("curl is not there, which push needs: install it");
		break;
	case CURL_NO_HOST:
		warn("%s: there is no such host: look at the URL", push->url);
		break;
	case CURL_NOT_CONNECTED:
		warn("%s: no server answers there: look at the URL, and whether it runs",
		     push->url);
		break;
	case CURL_TIMEOUT:
		warn("%s: no answer in " SECONDS " seconds: push it again later",
		     push->url);
		break;
	default:
		warn("%s: curl ended with status %d: %s", push->url, status,
		     answer);
	}
}

static void say_refused(const struct push *push, int code, const char *answer)
{
	const char *what = "look at what it says";

	if (code == 401 || code == 403)
		what = "give it what it wants by --header, or curl's ~/.netrc";
	else if (code == 404 || code == 405)
		what = "the path in the URL may be wrong: without one it is /ingest";
	else if (code == 413)
		what = "it takes no profile of this size: record for less time";
	else if (code == 429 || code >= 500)
		what = "push it again later";
	warn("%s: the server answers %d: %s%s%s", push->url, code, what,
	     *answer ? ": " : "", answer);
}

static bool send_profile(const struct push *push, const char *address)
{
	char answer[ANSWER_MAX + 1] = "", *line;
	int status = ask_server(push, address, answer), code;

	line = strrchr(answer, '\n');
	code = line ? atoi(line + 1) : 0;
	if (line)
		*line = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	if (status)
		say_failed(push, status, answer);
	else if (code < 200 || code > 299)
		say_refused(push, code, answer);
	return !status && code >= 200 && code <= 299;
}

static void take_url(struct push *push, int argc, char **argv)
{
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		exit(STATUS_USAGE);
	}
	push->url = argv[optind];
	if (strncmp(push->url, "http://", 7) != 0 &&
	    strncmp(push->url, "https://", 8) != 0)
		die(STATUS_USAGE, "%s is no URL: http://HOST:4040 is that of a Pyroscope at its usual port",
		    push->url);
	if (strchr(push->url, '#'))
		die(STATUS_USAGE, "%s: what begins with # is not sent to a server: leave it out",
		    push->url);
}

/* curl leaves out a bad header with a warning, and push prints no warnings. */
static void take_header(struct push *push, const char *text)
{
	if (push->nr_headers == HEADERS_MAX)
		die(STATUS_USAGE, "more than %d headers", HEADERS_MAX);
	if (*text == '@' && access(text + 1, R_OK))
		die(STATUS_USAGE, "--header %s: %s: %s", text, text + 1,
		    strerror(errno));
	if (*text != '@' && !strpbrk(text, ":;"))
		die(STATUS_USAGE, "--header %s: a header is NAME: VALUE, or @FILE that has it",
		    text);
	push->headers[push->nr_headers++] = text;
}

int cmd_push(int argc, char **argv)
{
	static const struct option options[] = {
		{ "header", required_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{ "input", required_argument, NULL, 'i' },
		{ "name", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 }
	};
	struct push push = { 0 };
	struct model *m;
	char *address;
	time_t written;
	int option;
	bool good;

	while ((option = getopt_long(argc, argv, "hi:", options, NULL)) != -1) {
		switch (option) {
		case 'H':
			take_header(&push, optarg ? optarg : "");
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'i':
			if (push.file)
				die(STATUS_USAGE, "-i %s: one profile is sent at a time: push each by itself",
				    optarg);
			push.file = optarg;
			break;
		case 'n':
			push.name = optarg;
			break;
		default:
			fputs(usage, stderr);
			return STATUS_USAGE;
		}
	}
	take_url(&push, argc, argv);
	if (!push.file)
		push.file = PPROF_DEFAULT;
	m = pprof_read(push.file, &written);
	address = address_of(&push, m, written);
	good = send_profile(&push, address);
	free(address);
	model_free(m);
	return good ? 0 : STATUS_NOT_FOUND;
}
