// SPDX-License-Identifier: MIT
/* Which samples belong to one process, thread or cgroup. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "only.h"
#include "util.h"

static const char *const kinds[NR_ONLY] = { "process", "thread", "cgroup" };

bool only_option(struct only *only, int option, const char *value)
{
	int kind = option - ONLY_OPTION;

	if (kind < 0 || kind >= NR_ONLY)
		return false;
	if (only->values[kind])
		die(STATUS_USAGE, "--%s takes one value, and may be given once",
		    kinds[kind]);
	only->values[kind] = value;
	return true;
}

/* A program may be called as a number is. */
static bool fits_value(const char *value, const char *name, int64_t number)
{
	char digits[24];

	if (!value || !strcmp(value, name))
		return true;
	snprintf(digits, sizeof(digits), "%" PRId64, number);
	return !strcmp(value, digits);
}

static const char *text_of(const struct label *label, const char *otherwise)
{
	return label && label->str ? label->str : otherwise;
}

/* As the rows of --by thread have it. */
static const struct thread_time *thread_of(const struct model *m,
					   const struct sample *sample)
{
	const struct label *program = sample_label(sample, LABEL_PROGRAM);
	const struct label *pid = sample_label(sample, LABEL_PID);
	const struct label *tid = sample_label(sample, LABEL_TID);

	if (!tid || !program || !program->str)
		return NULL;
	return model_find_thread(m, pid ? pid->num : 0, tid->num, program->str);
}

static bool fits_sample(const struct model *m, const struct sample *sample,
			const struct only *only)
{
	const struct label *pid = sample_label(sample, LABEL_PID);
	const struct label *tid = sample_label(sample, LABEL_TID);
	const char *program = text_of(sample_label(sample, LABEL_PROGRAM),
				      "[unknown]");
	const char *cgroup = text_of(sample_label(sample, LABEL_CGROUP), "");
	const char *name = text_of(sample_label(sample, LABEL_THREAD), program);
	const struct thread_time *thread = thread_of(m, sample);
	int64_t number = pid ? pid->num : 0;

	if (thread)
		name = thread->name;
	return fits_value(only->values[ONLY_PROCESS], program, number) &&
	       fits_value(only->values[ONLY_THREAD], name,
			  tid ? tid->num : number) &&
	       (!only->values[ONLY_CGROUP] ||
		!strcmp(only->values[ONLY_CGROUP], cgroup));
}

static bool *find_fitting(const struct model *m, const struct only *only)
{
	bool *fitting = xcalloc(m->nr_samples + 1, sizeof(*fitting));
	size_t i;

	for (i = 0; i < m->nr_samples; i++)
		fitting[i] = fits_sample(m, &m->samples[i], only);
	return fitting;
}

/* What was recorded of a thread has no cgroup: one of its samples tells. */
static bool *find_sampled(const struct model *m, const bool *fitting)
{
	bool *sampled = xcalloc(m->nr_threads + 1, sizeof(*sampled));
	const struct thread_time *thread;
	size_t i;

	for (i = 0; i < m->nr_samples; i++) {
		thread = fitting[i] ? thread_of(m, &m->samples[i]) : NULL;
		if (thread)
			sampled[thread - m->threads] = true;
	}
	return sampled;
}

static bool fits_thread(const struct thread_time *thread,
			const struct only *only)
{
	return !only->values[ONLY_CGROUP] &&
	       fits_value(only->values[ONLY_PROCESS], thread->program,
			  thread->pid) &&
	       fits_value(only->values[ONLY_THREAD], thread->name, thread->tid);
}

static void keep_threads(struct model *m, const struct only *only,
			 const bool *fitting)
{
	bool *sampled = find_sampled(m, fitting);
	struct thread_time *all = m->threads;
	size_t nr = m->nr_threads, i;

	m->threads = NULL;
	m->nr_threads = 0;
	table_free(m->by_thread);
	m->by_thread = xcalloc(1, sizeof(*m->by_thread));
	for (i = 0; i < nr; i++)
		if (sampled[i] || fits_thread(&all[i], only))
			model_thread(m, &all[i]);
	free(all);
	free(sampled);
}

static void keep_samples(struct model *m, const bool *fitting)
{
	struct sample *all = m->samples;
	size_t nr = m->nr_samples, i;

	m->samples = NULL;
	m->nr_samples = 0;
	table_free(m->by_sample);
	m->by_sample = xcalloc(1, sizeof(*m->by_sample));
	for (i = 0; i < nr; i++) {
		if (fitting[i])
			model_sample(m, all[i].locations, all[i].nr_locations,
				     all[i].labels, all[i].nr_labels,
				     all[i].count, all[i].ns);
		free(all[i].locations);
		free(all[i].labels);
	}
	free(all);
}

/* "process prog, thread 12" */
static char *describe_only(const struct only *only)
{
	char *text = xstrdup(""), *longer;
	int kind;

	for (kind = 0; kind < NR_ONLY; kind++) {
		if (!only->values[kind])
			continue;
		longer = xasprintf("%s%s%s %s", text, *text ? ", " : "",
				   kinds[kind], only->values[kind]);
		free(text);
		text = longer;
	}
	return text;
}

/* The last one given, whose rows list what there is. */
static const char *last_of(const struct only *only)
{
	int kind = NR_ONLY - 1;

	while (kind && !only->values[kind])
		kind--;
	return kinds[kind];
}

void only_keep(struct model *m, const struct only *only, const char *file,
	       int status)
{
	char *what = describe_only(only), *note;
	uint64_t all, left;
	bool *fitting;

	if (!*what) {
		free(what);
		return;
	}
	all = model_samples(m);
	fitting = find_fitting(m, only);
	keep_threads(m, only, fitting);
	keep_samples(m, fitting);
	free(fitting);
	left = model_samples(m);
	if (!left)
		die(status,
		    "%s has no samples of %s; profil report --by %s lists those that it has",
		    file, what, last_of(only));
	note = xasprintf("note: only %s: %llu of %llu samples; CPU time and lost samples are known of the whole recording",
			 what, (unsigned long long)left,
			 (unsigned long long)all);
	model_comment(m, note);
	free(note);
	free(what);
	m->books = (struct books){ 0 };
}
