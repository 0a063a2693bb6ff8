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
#include "pprof.h"
#include "record.h"
#include "threads.h"
#include "util.h"

#define SWAP_NS		(SWAP_MS * 1000000ll)
#define APART_NS	2000000ll	/* two swaps, where many are born */

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
	if (p)
		process_end(p);
}

static void on_count(void *arg, uint32_t image, uint64_t thread, uint64_t pc,
		     uint32_t count)
{
	struct process *p = process_get(image);

	(void)arg;
	process_add(p, thread, pc, count);
	if (p->listed)
		return;
	p->listed = true;
	touched = xgrow(touched, nr_touched, sizeof(*touched));
	touched[nr_touched++] = p;
}

/* Gives samples their places; the rest waits. */
static void settle_pending(struct recording *r, struct process *p,
			   bool (*find)(struct process *p, uint64_t pc,
					struct place *place))
{
	size_t kept = 0, i;
	struct place place;

	for (i = 0; i < p->nr_pending; i++) {
		if (find(p, p->pending[i].pc & ~PROFIL_NODE_KERNEL, &place))
			attribute_sample(r->model, p, &p->pending[i], &place);
		else
			p->pending[kept++] = p->pending[i];
	}
	p->nr_pending = kept;
}

static void settle_process(struct recording *r, struct process *p)
{
	if (p->has_maps)
		process_look(p, false);
	process_read_jit(p);
	settle_pending(r, p, place_find);
	if (p->nr_pending && process_look(p, true))
		settle_pending(r, p, place_find);
}

/* Newest first: they may have the shortest time to live. */
static void look_at_young(int64_t now)
{
	size_t kept = 0, i;

	for (i = nr_young; i-- > 0;) {
		if (!young[i]->looked_ns || (young[i]->look_ns &&
					     young[i]->look_ns <= now))
			process_look(young[i], true);
	}
	for (i = 0; i < nr_young; i++)
		if (!young[i]->ended &&
		    (young[i]->look_ns || !young[i]->looked_ns))
			young[kept++] = young[i];
	nr_young = kept;
}

static void swap(struct recording *r)
{
	static const struct observe_calls calls = {
		.image = on_image, .thread = on_thread, .end = on_end,
		.count = on_count,
	};
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
	look_at_young(r->swapped_ns);
	for (i = 0; i < nr_touched; i++) {
		touched[i]->listed = false;
		settle_process(r, touched[i]);
	}
	nr_touched = 0;
}

static char *join_words(char **words)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die(STATUS_USAGE, "out of memory");
	for (; *words; words++)
		fprintf(out, "%s%s", *words, words[1] ? " " : "");
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return text;
}

bool record_open(struct recording *r, uint32_t rate, char **command)
{
	struct timespec now;
	char *text;

	if (observe_open(&r->observer, rate))
		return false;
	r->model = model_new();
	text = join_words(command);
	r->model->command = model_string(r->model, text);
	free(text);
	clock_gettime(CLOCK_REALTIME, &now);
	r->model->time_ns = now.tv_sec * 1000000000ll + now.tv_nsec;
	r->model->rate = rate;
	r->begin_ns = now_ns();
	r->swapped_ns = r->begin_ns;
	return true;
}

static int64_t next_event(const struct recording *r)
{
	int64_t next = r->swapped_ns + SWAP_NS;
	size_t i;

	for (i = 0; i < nr_young; i++)
		if (young[i]->look_ns && young[i]->look_ns < next)
			next = young[i]->look_ns;
	return next;
}

bool record_wait(struct recording *r, int fd, int64_t until_ns)
{
	struct pollfd fds[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = r->observer.fd, .events = POLLIN },
	};
	struct timespec wait;
	int64_t now, next;
	bool soon;

	while (!until_ns || now_ns() < until_ns) {
		now = now_ns();
		next = next_event(r);
		/* What woke us stays until the swap, so it is not asked. */
		soon = now < r->swapped_ns + APART_NS;
		if (soon && r->swapped_ns + APART_NS < next)
			next = r->swapped_ns + APART_NS;
		if (until_ns && until_ns < next)
			next = until_ns;
		next = next > now ? next - now : 0;
		wait = (struct timespec){ .tv_sec = next / 1000000000,
					  .tv_nsec = next % 1000000000 };
		fds[1].revents = 0;
		if (ppoll(fds, soon ? 1 : 2, &wait, NULL) < 0)
			continue;
		now = now_ns();
		if (fds[1].revents || now >= r->swapped_ns + SWAP_NS)
			swap(r);
		else
			look_at_young(now);
		if (fds[0].revents)
			return true;
		if (record_is_alone(r))
			return false;
	}
	return false;
}

bool record_is_alone(const struct recording *r)
{
	return r->failed || (r->swapped && !r->observer.followed);
}

static void note(struct recording *r, const char *what, uint64_t count)
{
	char *text;

	if (!count)
		return;
	text = xasprintf("note: %.1f %% %s",
			 100.0 * (double)count /
			 (double)r->observer.books.counted, what);
	model_comment(r->model, text);
	free(text);
}

/* What waits still is looked for in all that is known of other processes. */
static void settle_rest(struct recording *r)
{
	static struct place ended = { .part = PLACE_ENDED };
	uint64_t lost = 0;
	struct process *p;
	uint32_t number;
	size_t i;

	for (number = 1; number <= process_last(); number++) {
		p = process_find(number);
		if (!p)
			continue;
		r->nr_processes++;
		settle_pending(r, p, place_find);
		settle_pending(r, p, place_find_ended);
		for (i = 0; i < p->nr_pending; i++) {
			lost += p->pending[i].count;
			attribute_sample(r->model, p, &p->pending[i], &ended);
		}
		p->nr_pending = 0;
	}
	note(r, "in memory that was unmapped, or whose process had ended, before it could be looked at",
	     lost);
	if (process_looks_left_out)
		model_comment(r->model, "note: so many programs began that what some had mapped was not read");
}

bool record_finish(struct recording *r)
{
	struct books *books = &r->model->books;
	bool written;
	char *path;

	swap(r);
	swap(r);
	*books = r->observer.books;
	books->wall_ns = (uint64_t)(now_ns() - r->begin_ns);
	r->model->duration_ns = (int64_t)books->wall_ns;
	observe_close(&r->observer);
	settle_rest(r);
	attribute_names(r->model);
	path = pprof_write(r->model, r->output ? r->output : PPROF_DEFAULT);
	if (!r->quiet)
		summary_print(r, path);
	written = path;
	free(path);
	return written;
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
