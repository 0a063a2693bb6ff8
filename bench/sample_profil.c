// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two samplers: an empty one, and /dev/profil of this project.
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

static void profil_start(void)
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
	};

	memset(bins, 0, sizeof(bins));
	device = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0 || ioctl(device, PROFIL_IOC_SET, &set))
		die(PROFIL_DEVICE);
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
