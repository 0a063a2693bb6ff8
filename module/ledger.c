// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module created and what it destroyed: both sides must be equal
 * when it is unloaded, and the tests fail if they are not.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "profil.h"

static struct {
	const char *name;
	atomic_long_t created;
	atomic_long_t destroyed;
} ledger[] = {
	[PROFIL_LEDGER_PROFILES] = { .name = "profiles" },
	[PROFIL_LEDGER_LAYOUTS] = { .name = "layouts" },
	[PROFIL_LEDGER_WATCHES] = { .name = "watches" },
	[PROFIL_LEDGER_PAGES_PINNED] = { .name = "pinned pages" },
	[PROFIL_LEDGER_PAGES_ACCOUNTED] = { .name = "accounted pages" },
	[PROFIL_LEDGER_HOOK_USES] = { .name = "hook uses" },
	[PROFIL_LEDGER_GMONS] = { .name = "gmons" },
	[PROFIL_LEDGER_SPARES] = { .name = "spare files" },
	[PROFIL_LEDGER_PAGES_CAPTURED] = { .name = "captured pages" },
};

/* Context: any. */
void profil_ledger_in(enum profil_ledger_item item, long n)
{
	atomic_long_add(n, &ledger[item].created);
}

/* Context: any. */
void profil_ledger_out(enum profil_ledger_item item, long n)
{
	atomic_long_add(n, &ledger[item].destroyed);
}

/*
 * Called last, when nothing can change any more.  A ledger that balances is
 * news for a test only, so the log has it only on demand.
 */
void profil_ledger_close(bool always)
{
	bool balanced = true;
	char line[384];
	int len = 0, i;

	for (i = 0; i < ARRAY_SIZE(ledger); i++) {
		long in = atomic_long_read(&ledger[i].created);
		long out = atomic_long_read(&ledger[i].destroyed);

		balanced &= in == out;
		len += scnprintf(line + len, sizeof(line) - len, "%s%s %ld/%ld",
				 i ? ", " : "", ledger[i].name, in, out);
	}
	if (always || !balanced)
		pr_info("ledger: %s: %s\n", line,
			balanced ? "balanced" : "NOT balanced");
}
