/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of all samplers, which count how often they see each function of
 * work.h.  All sample at the rate of the tick, but for four that say theirs.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stddef.h>

#include "work.h"

struct counts {
	uint64_t in[NR_FUNCTIONS];
	uint64_t outside;	/* all else that the sampler saw */
};

struct sampler {
	const char *name;
	void (*start)(void);
	void (*thread)(void);	/* in each further thread, or NULL */
	void (*read)(struct counts *counts);	/* since start */
	void (*stop)(void);	/* after the last read */
};

extern const struct sampler sampler_none, sampler_profil,
	sampler_profil_1000, sampler_profil_10000, sampler_observer_1000,
	sampler_observer_10000, sampler_glibc, sampler_sprofil, sampler_timer,
	sampler_perf, sampler_bpf;

static const struct sampler *const samplers[] = {
	&sampler_none, &sampler_profil, &sampler_profil_1000,
	&sampler_profil_10000, &sampler_observer_1000, &sampler_observer_10000,
	&sampler_glibc, &sampler_sprofil, &sampler_timer, &sampler_perf,
	&sampler_bpf,
};

static inline const struct sampler *sampler_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(samplers); i++)
		if (!strcmp(samplers[i]->name, name))
			return samplers[i];
	fprintf(stderr, "no sampler is called %s\n", name);
	exit(2);
}

/* Adds n samples at a pc. */
static inline void counts_add(struct counts *counts, uint64_t pc, uint64_t n)
{
	uint64_t d = pc - (uintptr_t)work_text;

	if (d < TEXT)
		counts->in[d / SLOT] += n;
	else
		counts->outside += n;
}

static inline uint64_t counts_sum(const struct counts *counts)
{
	uint64_t sum = counts->outside;
	int i;

	for (i = 0; i < NR_FUNCTIONS; i++)
		sum += counts->in[i];
	return sum;
}

/* For samplers with counters of 16 bits, one for each STEP bytes of text. */
#define STEP	128
#define BINS	(TEXT / STEP)
#define SCALE	(2 * 65536 / STEP)

static inline void counts_of_bins(struct counts *counts, const uint16_t *bins)
{
	int i;

	memset(counts, 0, sizeof(*counts));
	for (i = 0; i < BINS; i++)
		counts->in[i / (SLOT / STEP)] +=
			((const volatile uint16_t *)bins)[i];
}

#endif /* SAMPLER_H */
