// SPDX-License-Identifier: GPL-2.0-only
/*
 * An empty sampler, and /dev/profil of this project: by the tick, and at two
 * rates.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <profil/ioctl.h>

#include "sampler.h"

static uint16_t bins[BINS] __attribute__((aligned(4096)));
static int device;

static struct profil_status ask(unsigned long command)
{
	struct profil_status status = { .size = sizeof(status) };

	if (ioctl(device, command, &status))
		die(PROFIL_DEVICE);
	return status;
}

static void rated_start(uint32_t rate_hz)
{
	struct profil_region region = {
		.base = (uintptr_t)bins,
		.size = sizeof(bins),
		.offset = (uintptr_t)work_text,
		.scale = SCALE,
		.width = sizeof(bins[0]),
	};
	struct profil_set set = {
		.size = sizeof(set),
		.regions = (uintptr_t)&region,
		.nr_regions = 1,
		.region_size = sizeof(region),
		.rate_hz = rate_hz,
	};

	memset(bins, 0, sizeof(bins));
	device = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0 || ioctl(device, PROFIL_IOC_SET, &set))
		die(PROFIL_DEVICE);
}

static void profil_start(void)
{
	rated_start(0);
}

static void profil_1000_start(void)
{
	rated_start(1000);
}

static void profil_10000_start(void)
{
	rated_start(10000);
}

static void profil_read(struct counts *counts)
{
	counts_of_bins(counts, bins);
	counts->outside = ask(PROFIL_IOC_QUERY).books.outside;
}

static void profil_stop(void)
{
	ask(PROFIL_IOC_STOP);
}

const struct sampler sampler_profil = {
	.name = "profil",
	.start = profil_start,
	.read = profil_read,
	.stop = profil_stop,
};

const struct sampler sampler_profil_1000 = {
	.name = "profil-1000",
	.start = profil_1000_start,
	.read = profil_read,
	.stop = profil_stop,
};

const struct sampler sampler_profil_10000 = {
	.name = "profil-10000",
	.start = profil_10000_start,
	.read = profil_read,
	.stop = profil_stop,
};

static void none_start(void)
{
}

static void none_read(struct counts *counts)
{
	memset(counts, 0, sizeof(*counts));
}

const struct sampler sampler_none = {
	.name = "none",
	.start = none_start,
	.read = none_read,
	.stop = none_start,
};
