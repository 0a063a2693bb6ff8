// SPDX-License-Identifier: MIT
/* The command line, the part, the books and the threads, as comments of the file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.h"
#include "util.h"

#define BOOK(name) { #name ": ", offsetof(struct books, name) }

static const struct book {
	const char *prefix;
	size_t offset;
} list[] = {
	BOOK(seen), BOOK(counted), BOOK(unplaced), BOOK(refused), BOOK(lost),
	BOOK(left), BOOK(not_followed), BOOK(wall_ns), BOOK(cpu_ns),
	BOOK(off), BOOK(off_wall_ns), BOOK(off_cpu_ns),
};

static const char command[] = "command: ";
static const char only[] = "only: ";
static const char rate[] = "rate: ";

/* The length of the name says where it ends, whatever is in it. */
static char *thread_text(const struct thread_time *thread)
{
	return xasprintf("thread: %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64
			 " %" PRIu64 " %zu:%s %s", thread->pid, thread->tid,
			 thread->cpu_ns, thread->wait_ns, thread->read_ns,
			 strlen(thread->name), thread->name, thread->program);
}

static bool read_thread(struct model *m, const char *comment)
{
	struct thread_time thread;
	uint64_t length;
	char *name;
	int at = 0;

	if (sscanf(comment, "thread: %" SCNd64 " %" SCNd64 " %" SCNu64 " %"
		   SCNu64 " %" SCNu64 " %" SCNu64 ":%n", &thread.pid,
		   &thread.tid, &thread.cpu_ns, &thread.wait_ns,
		   &thread.read_ns, &length, &at) != 6 || !at ||
	    length >= strlen(comment + at) || comment[at + length] != ' ' ||
	    (thread.cpu_ns | thread.wait_ns | thread.read_ns) >> 62)
		return false;
	name = xasprintf("%.*s", (int)length, comment + at);
	thread.name = name;
	thread.program = comment + at + length + 1;
	model_thread(m, &thread);
	free(name);
	return true;
}

void books_write(const struct model *m,
		 void (*comment)(void *context, const char *text),
		 void *context)
{
	uint64_t value;
	char *text;
	size_t i;

	text = xasprintf("%s%s", command, m->command);
	comment(context, text);
	free(text);
	if (*m->only) {
		text = xasprintf("%s%s", only, m->only);
		comment(context, text);
		free(text);
	}
	/* A period in whole nanoseconds does not say each rate. */
	if (pprof_inverse(pprof_inverse(m->rate)) != m->rate) {
		text = xasprintf("%s%llu", rate, (unsigned long long)m->rate);
		comment(context, text);
		free(text);
	}
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		memcpy(&value, (const char *)&m->books + list[i].offset,
		       sizeof(value));
		text = xasprintf("%s%llu", list[i].prefix,
				 (unsigned long long)value);
		comment(context, text);
		free(text);
	}
	for (i = 0; i < m->nr_threads; i++) {
		text = thread_text(&m->threads[i]);
		comment(context, text);
		free(text);
	}
	for (i = 0; i < m->nr_comments; i++)
		comment(context, m->comments[i]);
}

bool books_read(struct model *m, const char *comment)
{
	uint64_t value;
	size_t i, length;

	if (!strncmp(comment, command, strlen(command))) {
		m->command = model_string(m, comment + strlen(command));
		return true;
	}
	if (!strncmp(comment, only, strlen(only))) {
		m->only = model_string(m, comment + strlen(only));
		return true;
	}
	if (!strncmp(comment, rate, strlen(rate))) {
		value = strtoull(comment + strlen(rate), NULL, 10);
		if (pprof_inverse(value) == pprof_inverse(m->rate))
			m->rate = value;
		return true;
	}
	if (read_thread(m, comment))
		return true;
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		length = strlen(list[i].prefix);
		if (strncmp(comment, list[i].prefix, length) != 0)
			continue;
		value = strtoull(comment + length, NULL, 10);
		memcpy((char *)&m->books + list[i].offset, &value,
		       sizeof(value));
		return true;
	}
	return false;
}
