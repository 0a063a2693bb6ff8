// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module created and what it destroyed: both sides must be equal
 * when it is unloaded, and the tests fail if they are not.
 */
#include <linux/atomic.h>
#include <linux/printk.h>

#include "profil.h"

static atomic_long_t created[PROFIL_LEDGER_NR];
static atomic_long_t destroyed[PROFIL_LEDGER_NR];

/* Context: any. */
void profil_ledger_in(enum profil_ledger_item item, long n)
{
	atomic_long_add(n, &created[item]);
}

/* Context: any. */
void profil_ledger_out(enum profil_ledger_item item, long n)
{
	atomic_long_add(n, &destroyed[item]);
}

#define ENTRY(item) \
	atomic_long_read(&created[item]), atomic_long_read(&destroyed[item])

/* Says so in the log; called last, when nothing can change any more. */
void profil_ledger_close(void)
{
	bool balanced = true;
	int i;

	for (i = 0; i < PROFIL_LEDGER_NR; i++)
		if (atomic_long_read(&created[i]) !=
		    atomic_long_read(&destroyed[i]))
			balanced = false;

	pr_info("ledger: profiles %ld/%ld layouts %ld/%ld watches %ld/%ld pinned %ld/%ld accounted %ld/%ld hook uses %ld/%ld: %s\n",
		ENTRY(PROFIL_LEDGER_PROFILES), ENTRY(PROFIL_LEDGER_LAYOUTS),
		ENTRY(PROFIL_LEDGER_WATCHES),
		ENTRY(PROFIL_LEDGER_PAGES_PINNED),
		ENTRY(PROFIL_LEDGER_PAGES_ACCOUNTED),
		ENTRY(PROFIL_LEDGER_HOOK_USES),
		balanced ? "balanced" : "NOT balanced");
}
