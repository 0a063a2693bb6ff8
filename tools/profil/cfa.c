// SPDX-License-Identifier: MIT
/*
 * Running the programs of .eh_frame.
 *
 * They say for each address how all registers of the caller are found.  The walk
 * needs three: the caller's sp, which is the CFA, its bp, and the return address.
 * What the kernel's rules can't say becomes PROFIL_RULE_NONE, where a path ends.
 */
#include <dwarf.h>
#include <elf.h>
#include <string.h>

#include "cfa.h"
#include "cfa_state.h"
#include "util.h"

#define STATES_MAX	32	/* remembered at a time */

struct run {
	const struct cfa_machine *machine;
	const struct common *common;
	bool is_signal;
	struct code code;
	struct state state, first;
	struct state *kept;	/* STATES_MAX */
	unsigned int nr_kept;
	uint64_t address, end;
	cfa_row *row;
	void *arg;
	uint64_t *left;		/* steps */
};

const struct cfa_machine *cfa_machine_of(uint16_t elf)
{
	static const struct cfa_machine machines[] = {
		{ .elf = EM_X86_64, .bp = 6, .sp = 7, .ra = 16 },
		{ .elf = EM_AARCH64, .bp = 29, .sp = 31, .ra = 30 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}

/* A register and a number; false if the expression begins otherwise. */
static bool get_base(const struct cfa_machine *machine, struct code *code,
		     bool *is_bp, int64_t *offset)
{
	unsigned int op = (unsigned int)get_fixed(code, 1);

	*is_bp = op == DW_OP_breg0 + (unsigned int)machine->bp;
	*offset = get_signed(code);
	return !code->bad && (*is_bp ||
			      op == DW_OP_breg0 + (unsigned int)machine->sp);
}

/* What is added last: "plus_uconst n", "lit n; plus", or nothing. */
static bool get_sum(struct code *code, int64_t *sum)
{
	uint64_t op;

	*sum = 0;
	if (code->at == code->end)
		return true;
	op = get_fixed(code, 1);
	if (op == DW_OP_plus_uconst)
		*sum = (int64_t)get_unsigned(code);
	else if (op >= DW_OP_lit0 && op <= DW_OP_lit31 &&
		 get_fixed(code, 1) == DW_OP_plus)
		*sum = (int64_t)op - DW_OP_lit0;
	else
		return false;
	return !code->bad && code->at == code->end;
}

/* "breg7 8; breg16 0; lit15; and; lit N; ge; lit3; shl; plus" */
static bool is_plt(const struct code *code, int64_t offset, int64_t *from)
{
	static const unsigned char before[] = {
		DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
	}, after[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const unsigned char *at = code->at;

	if (offset != 8 ||
	    code->end - at != sizeof(before) + 1 + sizeof(after) ||
	    memcmp(at, before, sizeof(before)) != 0 ||
	    memcmp(at + sizeof(before) + 1, after, sizeof(after)) != 0)
		return false;
	*from = at[sizeof(before)] - DW_OP_lit0;
	return *from >= 0 && *from < 16;
}

static void set_cfa_expression(struct run *run, struct code code)
{
	struct state *state = &run->state;
	bool is_bp;

	state->cfa = PROFIL_RULE_NONE;
	state->add = 0;
	if (!get_base(run->machine, &code, &is_bp, &state->offset))
		return;
	if (!is_bp && run->machine->elf == EM_X86_64 &&
	    is_plt(&code, state->offset, &state->offset)) {
		state->cfa = PROFIL_RULE_PLT;
		return;
	}
	if (code.at == code.end) {
		state->cfa = is_bp ? PROFIL_RULE_BP : PROFIL_RULE_SP;
		return;
	}
	if (get_fixed(&code, 1) == DW_OP_deref && get_sum(&code, &state->add))
		state->cfa = is_bp ? PROFIL_RULE_AT_BP : PROFIL_RULE_AT_SP;
}

static void set_cfa_register(struct run *run, uint64_t number)
{
	struct state *state = &run->state;

	state->cfa_register = number;
	state->add = 0;
	state->cfa = number == run->machine->bp ? PROFIL_RULE_BP :
		     number == run->machine->sp ? PROFIL_RULE_SP :
						  PROFIL_RULE_NONE;
}

static void set_cfa(struct run *run, uint64_t number, int64_t offset)
{
	set_cfa_register(run, number);
	run->state.offset = offset;
}

static void set_register(struct run *run, uint64_t number, enum how how,
			 int64_t offset)
{
	struct saved saved = { .how = how, .offset = offset };

	if (number == run->machine->bp)
		run->state.bp = saved;
	else if (number == run->machine->ra)
		run->state.ra = saved;
	else if (number == run->machine->sp)
		run->state.sp_moved = how != SAME;
}

static void set_register_expression(struct run *run, uint64_t number,
				    struct code code)
{
	int64_t offset;
	bool is_bp;

	if (get_base(run->machine, &code, &is_bp, &offset) &&
	    code.at == code.end)
		set_register(run, number, is_bp ? AT_BP : AT_SP, offset);
	else
		set_register(run, number, ELSEWHERE, 0);
}

static void restore_register(struct run *run, uint64_t number)
{
	if (number == run->machine->bp)
		run->state.bp = run->first.bp;
	else if (number == run->machine->ra)
		run->state.ra = run->first.ra;
	else if (number == run->machine->sp)
		run->state.sp_moved = run->first.sp_moved;
}

static int64_t factor_data(const struct run *run, int64_t number)
{
	return (int64_t)((uint64_t)number *
			 (uint64_t)run->common->cie.data_alignment_factor);
}

/* The state holds up to there. */
static void advance_pc(struct run *run, uint64_t by)
{
	uint64_t room = run->end - run->address;
	struct profil_unwind_rule rule;

	if (!by)
		return;
	rule = cfa_rule(run->machine, &run->state, run->is_signal);
	run->row(run->arg, run->address, &rule);
	run->address += by < room ? by : room;
}

static void remember_state(struct run *run)
{
	if (run->nr_kept < STATES_MAX)
		run->kept[run->nr_kept++] = run->state;
	else
		run->code.bad = true;
}

static void recall_state(struct run *run)
{
	if (run->nr_kept)
		run->state = run->kept[--run->nr_kept];
	else
		run->code.bad = true;
}

static void run_extended(struct run *run, uint64_t op)
{
	struct code *code = &run->code;
	uint64_t number;

	switch (op) {
	case DW_CFA_nop:
	/* The return address is signed; the kernel takes that off. */
	case DW_CFA_GNU_window_save:
		break;
	case DW_CFA_GNU_args_size:
		get_unsigned(code);
		break;
	case DW_CFA_remember_state:
		remember_state(run);
		break;
	case DW_CFA_restore_state:
		recall_state(run);
		break;
	case DW_CFA_def_cfa:
		number = get_unsigned(code);
		set_cfa(run, number, (int64_t)get_unsigned(code));
		break;
	case DW_CFA_def_cfa_sf:
		number = get_unsigned(code);
		set_cfa(run, number, factor_data(run, get_signed(code)));
		break;
	case DW_CFA_def_cfa_register:
		set_cfa_register(run, get_unsigned(code));
		break;
	case DW_CFA_def_cfa_offset:
		set_cfa(run, run->state.cfa_register,
			(int64_t)get_unsigned(code));
		break;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(run, run->state.cfa_register,
			factor_data(run, get_signed(code)));
		break;
	case DW_CFA_def_cfa_expression:
		set_cfa_expression(run, get_block(code));
		break;
	default:
		code->bad = true;
	}
}

static void run_register(struct run *run, uint64_t op)
{
	uint64_t number = get_unsigned(&run->code);
	struct code *code = &run->code;

	switch (op) {
	case DW_CFA_offset_extended:
		set_register(run, number, AT_CFA,
			     factor_data(run, (int64_t)get_unsigned(code)));
		break;
	case DW_CFA_offset_extended_sf:
		set_register(run, number, AT_CFA,
			     factor_data(run, get_signed(code)));
		break;
	case DW_CFA_restore_extended:
		restore_register(run, number);
		break;
	case DW_CFA_undefined:
		set_register(run, number, UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set_register(run, number, SAME, 0);
		break;
	case DW_CFA_expression:
		set_register_expression(run, number, get_block(code));
		break;
	case DW_CFA_val_expression:
		get_block(code);
		set_register(run, number, ELSEWHERE, 0);
		break;
	case DW_CFA_register:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		get_unsigned(code);
		set_register(run, number, ELSEWHERE, 0);
		break;
	}
}

static void run_code(struct run *run)
{
	struct code *code = &run->code;
	uint64_t op, scale = run->common->cie.code_alignment_factor;

	while (code->at < code->end && !code->bad && run->address < run->end) {
		if (!*run->left) {
			code->bad = true;
			return;
		}
		--*run->left;
		op = *code->at++;
		switch (op & 0xc0 ? op & 0xc0 : op) {
		case DW_CFA_advance_loc:
			advance_pc(run, (op & 0x3f) * scale);
			break;
		case DW_CFA_advance_loc1:
			advance_pc(run, get_fixed(code, 1) * scale);
			break;
		case DW_CFA_advance_loc2:
			advance_pc(run, get_fixed(code, 2) * scale);
			break;
		case DW_CFA_advance_loc4:
			advance_pc(run, get_fixed(code, 4) * scale);
			break;
		case DW_CFA_offset:
			set_register(run, op & 0x3f, AT_CFA,
				     factor_data(run,
						 (int64_t)get_unsigned(code)));
			break;
		case DW_CFA_restore:
			restore_register(run, op & 0x3f);
			break;
		case DW_CFA_offset_extended:
		case DW_CFA_offset_extended_sf:
		case DW_CFA_restore_extended:
		case DW_CFA_undefined:
		case DW_CFA_same_value:
		case DW_CFA_register:
		case DW_CFA_expression:
		case DW_CFA_val_expression:
		case DW_CFA_val_offset:
		case DW_CFA_val_offset_sf:
			run_register(run, op);
			break;
		default:
			run_extended(run, op);
		}
	}
}

void cfa_run(const struct cfa_machine *machine, const struct common *common,
	     const struct entry *entry, cfa_row *row, void *arg,
	     uint64_t *left)
{
	static const struct profil_unwind_rule none = {
		.kind = PROFIL_RULE_NONE,
	};
	struct state kept[STATES_MAX];
	struct run run = {
		.kept = kept, .machine = machine, .common = common,
		.is_signal = strchr(common->cie.augmentation, 'S'),
		.code = {
			.at = common->cie.initial_instructions,
			.end = common->cie.initial_instructions_end,
		},
		.address = entry->start, .end = entry->end,
		.row = row, .arg = arg, .left = left,
	};

	if (common->cie.return_address_register != machine->ra)
		run.code.bad = true;
	run_code(&run);
	run.first = run.state;
	run.code.at = entry->program;
	run.code.end = entry->end_program;
	run_code(&run);
	if (run.code.bad)
		row(arg, run.address, &none);
	else if (run.address < run.end)
		advance_pc(&run, run.end - run.address);
}
