// SPDX-License-Identifier: MIT
/* Taking the samples of one process, thread or cgroup. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "only.h"
#include "owner.h"
#include "path.h"
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
	if (!*value)
		die(STATUS_USAGE, "--%s which? profil report --by %s lists them",
		    kinds[kind], kinds[kind]);
	only->values[kind] = value;
	return true;
}

/* A number is compared with the name too, because a program may be called "7". */
static bool fits_value(const char *value, const char *name, int64_t number)
{
	char digits[24];

	if (!value || !strcmp(value, name))
		return true;
	snprintf(digits, sizeof(digits), "%" PRId64, number);
	return !strcmp(value, digits);
}

static bool fits_sample(struct model *m, const struct sample *sample,
			const struct only *only)
{
	struct owner owner = owner_of(m, sample);

	return fits_value(only->values[ONLY_PROCESS], owner.program, owner.pid) &&
	       fits_value(only->values[ONLY_THREAD], owner.thread, owner.tid) &&
	       (!only->values[ONLY_CGROUP] ||
		!strcmp(only->values[ONLY_CGROUP], owner_cgroup(m, sample)));
}

static bool *find_fitting(struct model *m, const struct only *only)
{
	bool *fitting = xcalloc(m->nr_samples + 1, sizeof(*fitting));
	size_t i;

	for (i = 0; i < m->nr_samples; i++)
		fitting[i] = fits_sample(m, &m->samples[i], only);
	return fitting;
}

/* A recorded thread has no cgroup of its own, but its samples have. */
static bool *find_sampled(struct model *m, const bool *fitting)
{
	bool *sampled = xcalloc(m->nr_threads + 1, sizeof(*sampled));
	const struct thread_time *thread;
	size_t i;

	for (i = 0; i < m->nr_samples; i++) {
		thread = fitting[i] ? owner_of(m, &m->samples[i]).time : NULL;
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

static void keep_threads(struct model *to, struct model *m,
			 const struct only *only, const bool *fitting)
{
	bool *sampled = find_sampled(m, fitting);
	size_t i;

	for (i = 0; i < m->nr_threads; i++)
		if (sampled[i] || fits_thread(&m->threads[i], only))
			model_thread(to, &m->threads[i]);
	free(sampled);
}

char *only_text(const struct only *only)
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

static void die_of_nothing(const struct only *only, const char *what,
			   const char *file, int status)
{
	int kind, nr = 0, last = 0;

	for (kind = 0; kind < NR_ONLY; kind++) {
		if (!only->values[kind])
			continue;
		nr++;
		last = kind;
	}
	if (nr > 1)
		die(status, "%s has no sample that fits all of this: %s", file,
		    what);
	die(status,
	    "%s has no samples of %s; profil report --by %s lists those that it has",
	    file, what, kinds[last]);
}

#define NOTE		"note: "
#define NOTE_WHOLE	NOTE "of the whole: "
#define NOTE_OTHERS	NOTE "and of "	/* other commands */

static bool has_begin(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

/* A note of the recording is about the whole, so its copy says so. */
static void tell_part(struct model *to, const struct model *m)
{
	const char *comment;
	char *note;
	size_t i;

	note = xasprintf(NOTE "only %s: %llu of %llu samples; CPU time and lost samples are known only of the whole recording",
			 to->only, (unsigned long long)model_samples(to),
			 (unsigned long long)model_samples(m));
	model_comment(to, note);
	free(note);
	if (!to->nr_samples) {
		note = xasprintf(NOTE "only %s has times and no samples: --by thread shows them",
				 to->only);
		model_comment(to, note);
		free(note);
	}
	for (i = 0; i < m->nr_comments; i++) {
		comment = m->comments[i];
		if (has_begin(comment, NOTE_OTHERS))
			continue;
		if (!has_begin(comment, NOTE) || has_begin(comment, NOTE_WHOLE)) {
			model_comment(to, comment);
			continue;
		}
		note = xasprintf(NOTE_WHOLE "%s", comment + strlen(NOTE));
		model_comment(to, note);
		free(note);
	}
}

/* A part may be of a part. */
static const char *part_of(struct model *to, const char *whole, const char *what)
{
	char *text = xasprintf("%s%s%s", whole, *whole ? ", " : "", what);
	const char *string = model_string(to, text);

	free(text);
	return string;
}

struct model *only_kept(struct model *m, const struct only *only,
			const char *file, int status)
{
	char *what = only_text(only);
	struct copying how = { .kept = NULL };
	struct model *to = m;
	bool *fitting;

	if (*what) {
		fitting = find_fitting(m, only);
		how.kept = fitting;
		to = model_new_like(m);
		model_copy(to, m, &how);
		keep_threads(to, m, only, fitting);
		free(fitting);
		if (!to->nr_samples && !to->nr_threads)
			die_of_nothing(only, what, file, status);
		to->only = part_of(to, m->only, what);
		to->had_paths = model_has_paths(m);
		to->had_path_ends = model_has_path_ends(m);
		tell_part(to, m);
		model_free(m);
	}
	free(what);
	return to;
}
