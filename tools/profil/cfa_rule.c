// SPDX-License-Identifier: MIT
/* The state of a program of .eh_frame becomes a rule of the kernel. */
#include <elf.h>

#include "cfa_state.h"

/* Offsets in x86-64's signal frame, from sp. */
#define SIGNAL_SP	160
#define SIGNAL_PC	168

static struct profil_unwind_rule
rule_at_signal(const struct cfa_machine *machine, const struct state *state)
{
	struct profil_unwind_rule rule = { .kind = PROFIL_RULE_NONE };

	if (machine->elf != EM_X86_64 ||
	    (state->cfa == PROFIL_RULE_AT_SP && state->offset == SIGNAL_SP &&
	     !state->add && state->ra.how == AT_SP &&
	     state->ra.offset == SIGNAL_PC))
		rule.kind = PROFIL_RULE_SIGNAL;
	return rule;
}

/* The part of a rule that says where the return address is; false: nowhere. */
static bool rule_finds_return(const struct cfa_machine *machine,
			      const struct state *state, uint16_t *kind)
{
	if (machine->elf == EM_X86_64)
		return state->ra.how == AT_CFA && state->ra.offset == -8;
	if (state->ra.how == SAME) {
		*kind |= PROFIL_RULE_LR;
		return true;
	}
	return state->ra.how == AT_CFA && state->bp.how == AT_CFA &&
	       state->ra.offset == state->bp.offset + 8;
}

static bool rule_finds_bp(const struct cfa_machine *machine,
			  const struct state *state,
			  struct profil_unwind_rule *rule)
{
	const struct saved *bp = &state->bp;

	if (bp->how == SAME || bp->how == UNDEFINED)
		return true;
	/* gcc leaves it so past the end of a realigned stack. */
	if (bp->how == AT_BP && state->cfa == PROFIL_RULE_SP)
		return true;
	if (bp->offset < INT16_MIN || bp->offset > INT16_MAX)
		return false;
	rule->bp = (int16_t)bp->offset;
	if (bp->how == AT_CFA)
		return bp->offset;
	if (bp->how != AT_BP || machine->elf != EM_X86_64)
		return false;
	rule->kind |= PROFIL_RULE_BP_AT_BP;
	return true;
}

struct profil_unwind_rule cfa_rule(const struct cfa_machine *machine,
				   const struct state *state, bool is_signal)
{
	static const struct profil_unwind_rule none = {
		.kind = PROFIL_RULE_NONE,
	};
	struct profil_unwind_rule rule = {
		.cfa = (int32_t)state->offset,
		.kind = (uint16_t)state->cfa,
	};

	if (state->ra.how == UNDEFINED)
		return (struct profil_unwind_rule){ .kind = PROFIL_RULE_END };
	if (is_signal)
		return rule_at_signal(machine, state);
	if (state->cfa == PROFIL_RULE_NONE || state->sp_moved ||
	    state->offset != rule.cfa || state->add % 8 ||
	    state->add / 8 < INT8_MIN || state->add / 8 > INT8_MAX)
		return none;
	rule.kind |= (uint16_t)((uint8_t)(state->add / 8)
				<< PROFIL_RULE_K_SHIFT);
	if (!rule_finds_return(machine, state, &rule.kind) ||
	    !rule_finds_bp(machine, state, &rule))
		return none;
	return rule;
}
