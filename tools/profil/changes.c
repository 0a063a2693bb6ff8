// SPDX-License-Identifier: MIT
/*
 * Comparing the shares of functions.
 *
 * With one run a side, the error of a share is that of counting samples.  With
 * several it is the variance between the runs, which has that in it and what
 * else differs from run to run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "hash.h"
#include "statistics.h"
#include "util.h"

void changes_begin(struct changes *c, size_t nr_base, size_t nr_new)
{
	enum version which;

	c->names = model_new();
	c->by_name = xcalloc(1, sizeof(*c->by_name));
	c->sides[BASE].nr_files = nr_base;
	c->sides[NEW].nr_files = nr_new;
	c->between_runs = nr_base > 1 || nr_new > 1;
	for (which = BASE; which < NR_SIDES; which++)
		c->sides[which].runs = xcalloc(c->sides[which].nr_files,
					       sizeof(struct one_run));
}

static struct change *change_get(struct changes *c, const char *name,
				 const char *object)
{
	uint64_t hash, nr;
	size_t at = SIZE_MAX;
	struct change *change;
	enum version which;

	name = model_string(c->names, name);
	object = model_string(c->names, base_name(object));
	hash = hash_pointer(hash_pointer(hash_seed(), name), object);
	while ((nr = table_next(c->by_name, hash, &at))) {
		change = &c->list[nr - 1];
		if (change->name == name && change->object == object)
			return change;
	}
	c->list = xgrow(c->list, c->nr, sizeof(*c->list));
	change = &c->list[c->nr++];
	*change = (struct change){ .name = name, .object = object, .p = 1 };
	for (which = BASE; which < NR_SIDES; which++)
		change->counts[which] = xcalloc(c->sides[which].nr_files,
						sizeof(uint64_t));
	table_add(c->by_name, hash, c->nr);
	return change;
}

static struct one_run *add_run(struct changes *c, struct side *side,
			       const struct model *m)
{
	struct one_run *run = &side->runs[side->nr_runs++];

	*run = (struct one_run){
		.samples = model_samples(m), .cpu_ns = m->books.cpu_ns,
		.not_seen = m->books.unplaced + m->books.refused + m->books.lost,
	};
	side->samples += run->samples;
	if (side->nr_runs == 1) {
		side->command = model_string(c->names, m->command);
		side->rate = m->rate;
		side->only = model_string(c->names, m->only);
	} else {
		if (strcmp(side->only, m->only) != 0)
			side->only = model_string(c->names, "different parts");
		side->nr_commands += strcmp(side->command, m->command) != 0;
		side->rates_differ |= side->rate != m->rate;
	}
	return run;
}

void changes_add(struct changes *c, enum version which, struct model *m,
		 enum by by, bool total)
{
	size_t nr = c->sides[which].nr_runs, i;
	struct rows rows = rows_make(m, by);
	struct change *change;
	const struct row *row;

	add_run(c, &c->sides[which], m);
	for (i = 0; i < rows.nr; i++) {
		row = &rows.list[i];
		change = by == BY_OBJECT ?
			 change_get(c, base_name(row->name), "") :
			 change_get(c, row->name, row->object);
		change->counts[which][nr] += total ? row->total : row->self;
	}
	rows_free(&rows);
}

static struct stat_set shares_of(const struct change *change,
				 const struct side *side, enum version which)
{
	double *shares = xcalloc(side->nr_runs, sizeof(*shares));
	struct stat_set set;
	size_t i;

	for (i = 0; i < side->nr_runs; i++)
		shares[i] = (double)change->counts[which][i] /
			    side->runs[i].samples;
	set = stat_set_of(shares, side->nr_runs);
	free(shares);
	return set;
}

static uint64_t samples_of(const struct change *change, const struct side *side,
			   enum version which)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < side->nr_runs; i++)
		samples += change->counts[which][i];
	return samples;
}

/*
 * Runs can't differ by less than their samples do; that they seem to is chance,
 * and the likelier the fewer runs there are.
 */
static void raise_variance(struct stat_set *set, const struct side *side,
			   double share)
{
	double least = share * (1 - share) * side->nr_runs / side->samples;

	if (set->variance < least)
		set->variance = least;
}

static double compare_runs(struct change *change, struct stat_set *sets,
			   const struct side *sides, double share)
{
	enum version which;

	for (which = BASE; which < NR_SIDES; which++)
		raise_variance(&sets[which], &sides[which], share);
	stat_raise_single(&sets[BASE], &sets[NEW]);
	for (which = BASE; which < NR_SIDES; which++)
		change->error[which] = sqrt(sets[which].variance /
					    sets[which].nr);
	return stat_welch(sets[NEW], sets[BASE]).p;
}

static double compare_samples(struct change *change, const uint64_t *samples,
			      const struct side *sides)
{
	enum version which;

	for (which = BASE; which < NR_SIDES; which++)
		change->error[which] = sqrt(change->share[which] *
					    (1 - change->share[which]) /
					    sides[which].samples);
	return stat_fisher(samples[BASE], sides[BASE].samples, samples[NEW],
			   sides[NEW].samples);
}

static void compare_one(struct changes *c, struct change *change)
{
	struct stat_set sets[NR_SIDES];
	uint64_t samples[NR_SIDES], all = 0;
	enum version which;
	double p;

	for (which = BASE; which < NR_SIDES; which++) {
		sets[which] = shares_of(change, &c->sides[which], which);
		samples[which] = samples_of(change, &c->sides[which], which);
		change->share[which] = sets[which].mean;
		all += c->sides[which].samples;
	}
	if (c->between_runs)
		p = compare_runs(change, sets, c->sides,
				 (double)(samples[BASE] + samples[NEW]) / all);
	else
		p = compare_samples(change, samples, c->sides);
	/* With less in both together, shares can't differ by the threshold. */
	change->compared = change->share[BASE] + change->share[NEW] >
			   c->threshold;
	if (change->compared)
		change->p = p;
	c->nr_compared += change->compared;
}

static double share_change(const struct change *change)
{
	return fabs(change->share[NEW] - change->share[BASE]);
}

static int by_chance(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->compared != y->compared)
		return x->compared ? -1 : 1;
	return (x->p > y->p) - (x->p < y->p);
}

static int by_difference(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	int order;

	if (x->changed != y->changed)
		return x->changed ? -1 : 1;
	if (share_change(x) != share_change(y))
		return share_change(x) < share_change(y) ? 1 : -1;
	order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->object, y->object);
}

void changes_find(struct changes *c)
{
	double *p = xcalloc(c->nr + 1, sizeof(*p));
	struct change *change;
	bool large;
	size_t i;

	for (i = 0; i < c->nr; i++)
		compare_one(c, &c->list[i]);
	qsort(c->list, c->nr, sizeof(*c->list), by_chance);
	for (i = 0; i < c->nr_compared; i++)
		p[i] = c->list[i].p;
	stat_holm(p, c->nr_compared);
	for (i = 0; i < c->nr_compared; i++) {
		change = &c->list[i];
		change->p = p[i];
		large = share_change(change) > c->threshold;
		change->changed = large && p[i] < SIGNIFICANCE;
		c->nr_changed += change->changed;
		c->nr_unsure += large && !change->changed;
	}
	qsort(c->list, c->nr, sizeof(*c->list), by_difference);
	free(p);
}

void changes_free(struct changes *c)
{
	enum version which;
	size_t i;

	for (i = 0; i < c->nr; i++)
		for (which = BASE; which < NR_SIDES; which++)
			free(c->list[i].counts[which]);
	for (which = BASE; which < NR_SIDES; which++)
		free(c->sides[which].runs);
	free(c->list);
	table_free(c->by_name);
	model_free(c->names);
}
