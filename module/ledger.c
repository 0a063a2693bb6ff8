// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledger: what the module created and destroyed, which must be equal when it
 * is unloaded.  The tests fail if it is not.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include "profil.h"

static const char *const names[] = {
	[PROFIL_LEDGER_PROFILES] = "profiles",
	[PROFIL_LEDGER_LAYOUTS] = "layouts",
	[PROFIL_LEDGER_WATCHES] = "watches",
	[PROFIL_LEDGER_PAGES_PINNED] = "pinned pages",
	[PROFIL_LEDGER_PAGES_ACCOUNTED] = "accounted pages",
	[PROFIL_LEDGER_HOOK_USES] = "hook uses",
	[PROFIL_LEDGER_DUMPS] = "dumps",
	[PROFIL_LEDGER_SPARES] = "spare files",
	[PROFIL_LEDGER_PAGES_TAKEN] = "taken pages",
	[PROFIL_LEDGER_TABLES] = "tables",
	[PROFIL_LEDGER_FOLLOWS] = "follows",
	[PROFIL_LEDGER_OBJECTS] = "objects",
	[PROFIL_LEDGER_MAPS] = "maps",
};

/* Per CPU, so that no cache line is shared by the forks of all CPUs. */
static DEFINE_PER_CPU(struct {
	long created;
	long destroyed;
}, ledger[ARRAY_SIZE(names)]);

/* Context: any. */
void profil_ledger_in(enum profil_ledger_item item, long n)
{
	this_cpu_add(ledger[item].created, n);
}

/* Context: any. */
void profil_ledger_out(enum profil_ledger_item item, long n)
{
	this_cpu_add(ledger[item].destroyed, n);
}

/*
 * Called last, when all counts are final.  Only the tests ask for the line of a
 * ledger that balances.
 */
void profil_ledger_close(bool always)
{
	bool balanced = true;
	char line[448];
	int len = 0, i, cpu;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		long in = 0, out = 0;

		for_each_possible_cpu(cpu) {
			in += per_cpu(ledger[i].created, cpu);
			out += per_cpu(ledger[i].destroyed, cpu);
		}
		balanced &= in == out;
		len += scnprintf(line + len, sizeof(line) - len, "%s%s %ld/%ld",
				 i ? ", " : "", names[i], in, out);
	}
	if (always || !balanced)
		pr_info("ledger: %s: %s\n", line,
			balanced ? "balanced" : "NOT balanced");
}
