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

static int add_probe(struct profil_probe *probe)
{
	if (!probe->tracepoint)
		for_each_kernel_tracepoint(find_tracepoint, probe);
	if (!probe->tracepoint) {
		pr_err("this kernel has no tracepoint %s (CONFIG_TRACEPOINTS)\n",
		       probe->name);
		return -ENODEV;
	}
	return tracepoint_probe_register(probe->tracepoint, probe->probe, NULL);
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
		ret = add_probe(&probes[i]);
		if (ret) {
			profil_probes_remove(probes, i);
			return ret;
		}
	}
	return 0;
}
