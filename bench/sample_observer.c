// SPDX-License-Identifier: GPL-2.0-only
/*
 * An observer of /dev/profil that the program has joined, at two rates.
 */
#include <unistd.h>

#include "observer.h"
#include "sampler.h"

static struct observer observer;
static struct counts counted;

static void start_at(uint32_t rate_hz)
{
	memset(&counted, 0, sizeof(counted));
	observer_open(&observer, rate_hz, 1);
	observer_join(&observer);
}

static void observer_1000_start(void)
{
	start_at(1000);
}

static void observer_10000_start(void)
{
	start_at(10000);
}

static void add_node(void *data, const struct profil_node *nodes, uint32_t i)
{
	(void)data;
	counts_add(&counted, nodes[i].pc, nodes[i].count);
}

static void observer_counts(struct counts *counts)
{
	observer_read(&observer, add_node, NULL);
	*counts = counted;
}

static void observer_stop(void)
{
	if (observer.sum.seen != observer.sum.counted)
		die("samples without a place");
	close(observer.fd);
}

const struct sampler sampler_observer_1000 = {
	.name = "observer-1000",
	.start = observer_1000_start,
	.read = observer_counts,
	.stop = observer_stop,
};

const struct sampler sampler_observer_10000 = {
	.name = "observer-10000",
	.start = observer_10000_start,
	.read = observer_counts,
	.stop = observer_stop,
};
