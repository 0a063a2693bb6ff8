/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a table what the header says?  Pure, and also compiled into the tests on
 * the host.  What this passes, profil_unwind_find() reads inside.
 */
#ifndef _PROFIL_UNWIND_CHECK_H
#define _PROFIL_UNWIND_CHECK_H

#ifdef __KERNEL__
#include <linux/sched.h>
#include <linux/types.h>
#endif

#include "observe/unwind/step.h"

#define PROFIL_RULES_MAX	65536

static inline bool
profil_unwind_check_rule(const struct profil_unwind_rule *rule, bool arm64)
{
	u16 known = PROFIL_RULE_KIND | PROFIL_RULE_BP_AT_BP;
	u16 kind = rule->kind & PROFIL_RULE_KIND;

	if (kind > PROFIL_RULE_END)
		return false;
	if (kind == PROFIL_RULE_AT_SP || kind == PROFIL_RULE_AT_BP)
		known |= 0xff << PROFIL_RULE_K_SHIFT;
	if (arm64)
		known |= PROFIL_RULE_LR;
	return !(rule->kind & ~known);
}

/* The rows of a chunk: their first bytes ascend, and their rules are there. */
static inline bool
profil_unwind_check_rows(const struct profil_unwind_view *view, u32 rules,
			 u32 first, u32 end)
{
	u32 row;

	for (row = first; row < end; row++)
		if (view->row_rule[row] >= rules ||
		    (row > first && view->row_low[row] <=
				    view->row_low[row - 1]))
			return false;
	return true;
}

/* The parts of a table; its header was checked against its size. */
static inline void
profil_unwind_split(const struct profil_unwind_table *table,
		    struct profil_unwind_view *view)
{
	view->chunks = table->chunks;
	view->rows = table->rows;
	view->index = (const void *)(table + 1);
	view->rule = (const void *)(view->index + table->chunks + 1);
	view->row_rule = (const void *)(view->rule + table->rules);
	view->row_low = (const void *)(view->row_rule + table->rows);
}

/**
 * profil_unwind_check() - a table that a user gave
 * @table: aligned to 4, a copy that the user can't change
 * @bytes: its size
 * @machine: of this kernel
 * @view: filled in if it is good
 *
 * Context: process; sleeps.
 */
static inline bool
profil_unwind_check(const struct profil_unwind_table *table, u64 bytes,
		    u32 machine, struct profil_unwind_view *view)
{
	u32 i, end;

	if (bytes < sizeof(*table) || table->machine != machine ||
	    table->rules > PROFIL_RULES_MAX ||
	    bytes != sizeof(*table) + ((u64)table->chunks + 1) * sizeof(u32) +
		     table->rules * sizeof(struct profil_unwind_rule) +
		     (u64)table->rows * (sizeof(u16) + sizeof(u8)))
		return false;
	profil_unwind_split(table, view);
	for (i = 0; i < table->rules; i++)
		if (!profil_unwind_check_rule(&view->rule[i],
					      PROFIL_UNWIND_ARM64))
			return false;
	if (view->index[0] || view->index[table->chunks] != table->rows)
		return false;
	for (i = 0; i < table->chunks; i++) {
		end = view->index[i + 1];
		if (end < view->index[i] || end > table->rows ||
		    !profil_unwind_check_rows(view, table->rules,
					      view->index[i], end))
			return false;
		cond_resched();
	}
	return true;
}

#endif /* _PROFIL_UNWIND_CHECK_H */
