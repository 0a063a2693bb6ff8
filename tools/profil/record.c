// SPDX-License-Identifier: MIT
/*
 * The recorder's loop: it sleeps until the kernel wakes it or a swap is due,
 * reads what was counted, and looks at the maps of what is new.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "attribute.h"
#include "join.h"
#include "known.h"
#include "paths.h"
#include "pending.h"
#include "pprof.h"
#include "record.h"
#include "tables.h"
#include "threads.h"
#include "util.h"

#define SWAP_NS		(SWAP_MS * 1000000ll)
#define APART_NS	2000000ll	/* two swaps, where many are born */
#define IDLE_NS		60000000000ll	/* with nothing to look at */

/* Images with samples of this half, and those to look at again. */
static struct process **touched, **young;
static size_t nr_touched, nr_young;

static void on_image(void *arg, const struct profil_image *image)
{
	struct process *p = process_get(image->number);

	(void)arg;
	if (p->told)
		return;
	process_told(p, image);
	young = xgrow(young, nr_young, sizeof(*young));
	young[nr_young++] = p;
}

static void on_thread(void *arg, const struct profil_thread *thread)
{
	(void)arg;
	threads_told(thread);
}

static void on_end(void *arg, const struct profil_end *end)
{
	struct process *p = process_find(end->image);

	(void)arg;
	if (p && end->status == PROFIL_END_EXEC)
		threads_executed(p->thread, end);
	if (p)
		process_end(p);
}

static void on_count(void *arg, uint32_t image, uint64_t thread,
		     const struct observe_path *path, uint32_t count)
{
	const struct recording *r = arg;
	struct process *p;

	if (r->window.off)
		return;
	p = process_get(image);
	p->sampled = true;
	process_add(p, thread, path, count, &r->observer.at);
	if (p->listed)
		return;
	p->listed = true;
	touched = xgrow(touched, nr_touched, sizeof(*touched));
	touched[nr_touched++] = p;
}

/* Newest first: they may have the shortest time to live. */
static void look_at_young(int64_t now)
{
	size_t kept = 0, i;

	for (i = nr_young; i-- > 0;) {
		if (young[i]->look_ns <= now && process_look_young(young[i]))
			tables_want(young[i]);
	}
	for (i = 0; i < nr_young; i++)
		if (!young[i]->ended && young[i]->look_ns)
			young[kept++] = young[i];
	nr_young = kept;
}

static void swap_halves(struct recording *r)
{
	static const struct observe_calls calls = {
		.image = on_image, .thread = on_thread, .end = on_end,
		.count = on_count,
	};
	uint64_t untold = r->observer.untold;
	size_t i;

	r->swapped_ns = now_ns();
	if (observe_swap(&r->observer, &calls, r)) {
		if (!r->failed)
			warn("%s: PROFIL_IOC_SWAP: %s", PROFIL_DEVICE,
			     strerror(errno));
		r->failed = true;
		return;
	}
	r->swapped = true;
	if (r->observer.untold > untold)
		processes_end_gone();
	if (!r->is_live)
		threads_read();
	look_at_young(r->swapped_ns);
	for (i = 0; i < nr_touched; i++) {
		touched[i]->listed = false;
		settle_process(r->model, touched[i]);
	}
	nr_touched = 0;
}

/* What was counted until now is of the time before. */
static void switch_window(struct recording *r, bool on)
{
	swap_halves(r);
	window_switch(&r->window, on, &r->observer.books, r->swapped_ns);
}

/* An answer is sent when the command has been done. */
static void obey_commands(struct recording *r)
{
	struct control *control = &r->window.control;
	enum control_command command;

	while ((command = control_next(control))) {
		if (command == CONTROL_STOP)
			r->window.stopped = true;
		else if (command != CONTROL_PING)
			switch_window(r, command == CONTROL_ENABLE);
		control_ack(control);
	}
}

void record_catch_hangup(sigset_t *caught)
{
	struct sigaction now;

	if (sigaction(SIGHUP, NULL, &now) || now.sa_handler != SIG_IGN)
		sigaddset(caught, SIGHUP);
}

void record_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void record_begin(struct recording *r, double delay)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	r->model->time_ns = now.tv_sec * 1000000000ll + now.tv_nsec;
	r->begin_ns = now_ns();
	r->swapped_ns = r->begin_ns;
	window_begin(&r->window, delay, r->begin_ns);
}

bool record_open(struct recording *r, uint32_t rate, bool paths, char **command)
{
	char *text;

	if (observe_open(&r->observer, rate, paths))
		return false;
	r->model = model_new();
	r->model->size_max = PPROF_FULL;
	text = join_words(command);
	r->model->command = model_string(r->model, text);
	free(text);
	r->model->rate = rate;
	return true;
}

static int64_t next_event(const struct recording *r)
{
	int64_t next = r->swapped_ns + SWAP_NS;
	size_t i;

	for (i = 0; i < nr_young; i++)
		if (young[i]->look_ns && young[i]->look_ns < next)
			next = young[i]->look_ns;
	return window_next(&r->window, next);
}

bool record_wait(struct recording *r, int fd)
{
	struct pollfd fds[3] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = r->window.control.fd, .events = POLLIN },
		{ .fd = r->observer.fd, .events = POLLIN },
	};
	struct timespec wait;
	int64_t now, next, tables;
	bool soon, more, alone = record_is_alone(r);

	while (!record_is_over(r)) {
		now = now_ns();
		tables = alone ? INT64_MAX : tables_give(&r->observer, now);
		more = tables <= now;
		now = now_ns();
		next = alone ? window_next(&r->window, now + IDLE_NS) :
			       next_event(r);
		if (tables < next)
			next = tables;
		/* What woke us stays until the swap, so it is not asked. */
		soon = alone || now < r->swapped_ns + APART_NS;
		if (soon && !more && !alone && r->swapped_ns + APART_NS < next)
			next = r->swapped_ns + APART_NS;
		next = next > now ? next - now : 0;
		wait = (struct timespec){ .tv_sec = next / 1000000000,
					  .tv_nsec = next % 1000000000 };
		fds[2].revents = 0;
		if (ppoll(fds, soon ? 2 : 3, &wait, NULL) < 0)
			continue;
		now = now_ns();
		if (fds[1].revents)
			obey_commands(r);
		else if (r->window.enable_ns && now >= r->window.enable_ns)
			switch_window(r, true);
		else if (alone)
			;
		else if (fds[2].revents || now >= r->swapped_ns + SWAP_NS)
			swap_halves(r);
		else
			look_at_young(now);
		if (fds[0].revents)
			return true;
		if (!alone && record_is_alone(r))
			return false;
	}
	return false;
}

bool record_is_alone(const struct recording *r)
{
	return r->failed || (r->swapped && !r->observer.followed);
}

bool record_is_over(const struct recording *r)
{
	return r->window.stopped ||
	       (r->window.end_ns && now_ns() >= r->window.end_ns);
}

void record_take(struct recording *r)
{
	swap_halves(r);
	settle_now(r->model);
}

/* Nothing of it is known from here on. */
static void drop_object(void *arg, struct object *object)
{
	known_forget(object);
	tables_drop(arg, object);
}

void record_renew(struct recording *r)
{
	uint64_t rate = r->model->rate;
	struct process *p;

	r->model = model_new();
	r->model->size_max = PPROF_FULL;
	r->model->rate = rate;
	attribute_forget();
	processes_forget();
	threads_forget();
	if (objects_many()) {
		for (p = process_next(NULL); p; p = process_next(p))
			maps_use(&p->maps);
		paths_forget();
		objects_forget(drop_object, &r->observer);
	}
}

/* Programs that ran for less may have ended before they were looked at. */
#define SAMPLES_LOOKED	500

static bool was_any_looked_at(const struct books *books)
{
	const struct process *p;

	for (p = process_next(NULL); p; p = process_next(p))
		if (p->has_maps)
			return true;
	return books->counted < SAMPLES_LOOKED;
}

static void say_not_looked_at(struct model *m)
{
	if (yama_scope() >= '2')
		model_comment(m, "note: Yama (kernel.yama.ptrace_scope) lets none of these processes be looked at, so that there are no call paths and few names: run it as root, or set it to 1");
	else
		model_comment(m, "note: /proc shows none of these processes, so that there are no call paths and few names: mount proc where profil runs");
}

bool record_finish(struct recording *r)
{
	const char *wanted = r->output ? r->output : PPROF_DEFAULT;
	struct books *books = &r->model->books;
	bool written;
	char *path;

	swap_halves(r);
	/* The books end with the other half, and no thread's time much before. */
	threads_read_all();
	swap_halves(r);
	if (r->window.off)
		window_switch(&r->window, true, &r->observer.books,
			      r->swapped_ns);
	control_close(&r->window.control);
	*books = r->observer.books;
	books->wall_ns = (uint64_t)(now_ns() - r->begin_ns);
	window_settle(&r->window, books);
	r->model->duration_ns = now_ns() - r->begin_ns;
	observe_close(&r->observer);
	r->nr_processes = settle_rest(r->model);
	if (tables_left_out)
		model_comment(r->model, "note: some objects' tables found no memory (ulimit -l), so that call paths end there");
	if (r->model->size > r->model->size_max)
		model_comment(r->model,
			      "note: the file is full: samples of further call paths stand below [path ended: no room]");
	if (!was_any_looked_at(books))
		say_not_looked_at(r->model);
	attribute_names(r->model);
	attribute_threads(r->model);
	path = pprof_write(r->model, wanted);
	if (!r->quiet)
		summary_print(r, path);
	written = path && !strcmp(path, wanted);
	free(path);
	return written;
}

bool record_rate(const char *text, double *rate)
{
	if (!record_number("-r", text, RATE_MAX, rate))
		return false;
	if (*rate == (double)(uint32_t)*rate)
		return true;
	warn("-r %s: a whole number of samples a second is wanted", text);
	return false;
}

bool record_number(const char *option, const char *text, double max,
		   double *number)
{
	char *end;

	errno = 0;
	*number = strtod(text, &end);
	if (*text && !*end && !errno && *number > 0 && *number <= max)
		return true;
	warn("%s %s: a number above 0, at most %.0f, is wanted", option, text,
	     max);
	return false;
}
