// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes: functions at the kernel's tracepoints, which are found by name.
 */
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "profil.h"

static void find_tracepoint(struct tracepoint *tracepoint, void *data)
{
	struct profil_probe *probe = data;

	if (!strcmp(tracepoint->name, probe->name))
		probe->tracepoint = tracepoint;
}

/* Context: module init.  Return: 0 or -ENODEV. */
int profil_probes_find(struct profil_probe *probes, int nr)
{
	struct profil_probe *probe;

	for (probe = probes; probe < probes + nr; probe++) {
		for_each_kernel_tracepoint(find_tracepoint, probe);
		if (probe->tracepoint)
			continue;
		pr_err("this kernel has no tracepoint %s (CONFIG_TRACEPOINTS)\n",
		       probe->name);
		return -ENODEV;
	}
	return 0;
}

/* On return no CPU is in a probe.  Context: process; sleeps. */
void profil_probes_remove(struct profil_probe *probes, int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].tracepoint,
					    probes[nr].probe, NULL);
	tracepoint_synchronize_unregister();
}

/* Context: process; sleeps.  Return: 0, and all are in, or an error. */
int profil_probes_add(struct profil_probe *probes, int nr)
{
	int i, ret;

	for (i = 0; i < nr; i++) {
		ret = tracepoint_probe_register(probes[i].tracepoint,
						probes[i].probe, NULL);
		if (ret) {
			profil_probes_remove(probes, i);
			return ret;
		}
	}
	return 0;
}
