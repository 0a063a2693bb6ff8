// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C library's profil() and sprofil(): the process's interval timer and
 * SIGPROF.  Their rate is 100 a second; a program that sets the same timer
 * itself makes it the tick's.
 */
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#include "sampler.h"

static uint16_t bins[BINS];

static void speed_up(void)
{
	const struct itimerval tick = {
		.it_interval.tv_usec = 1000000 / HZ,
		.it_value.tv_usec = 1000000 / HZ,
	};

	if (setitimer(ITIMER_PROF, &tick, NULL))
		die("setitimer");
}

static void glibc_start(void)
{
	memset(bins, 0, sizeof(bins));
	if (profil(bins, sizeof(bins), (size_t)work_text, SCALE))
		die("profil");
	speed_up();
}

static void glibc_read(struct counts *counts)
{
	counts_of_bins(counts, bins);
}

static void glibc_stop(void)
{
	if (profil(bins, 0, 0, 0))
		die("profil");
}

const struct sampler sampler_glibc = {
	.name = "glibc-profil",
	.start = glibc_start,
	.read = glibc_read,
	.stop = glibc_stop,
};

/* A region for each function, and a bin for every pc outside. */
static struct prof regions[NR_FUNCTIONS + 1];
static uint16_t overflow[2];

static void sprofil_start(void)
{
	int i;

	memset(bins, 0, sizeof(bins));
	memset(overflow, 0, sizeof(overflow));
	for (i = 0; i < NR_FUNCTIONS; i++) {
		regions[i].pr_base = bins + i * (SLOT / STEP);
		regions[i].pr_size = SLOT / STEP * sizeof(bins[0]);
		regions[i].pr_off = (size_t)work_text + i * SLOT;
		regions[i].pr_scale = SCALE;
	}
	regions[i].pr_base = overflow;
	regions[i].pr_size = sizeof(overflow);
	regions[i].pr_off = 0;
	regions[i].pr_scale = 2;
	if (sprofil(regions, NR_FUNCTIONS + 1, NULL, PROF_USHORT))
		die("sprofil");
	speed_up();
}

static void sprofil_read(struct counts *counts)
{
	counts_of_bins(counts, bins);
	counts->outside = ((volatile uint16_t *)overflow)[0];
}

static void sprofil_stop(void)
{
	/* sprofil() would fail. */
	const struct itimerval off = { 0 };

	setitimer(ITIMER_PROF, &off, NULL);
}

const struct sampler sampler_sprofil = {
	.name = "glibc-sprofil",
	.start = sprofil_start,
	.read = sprofil_read,
	.stop = sprofil_stop,
};
