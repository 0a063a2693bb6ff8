// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules that profil compiles against elfutils: rules FILE...  At each row of
 * the table both say where the CFA, the caller's bp and the return address are,
 * of registers and memory that have a random number each.
 */
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../host/kernel.h"

#define PROFIL_UNWIND_ARM64	0
#define PROFIL_UNWIND_READ(word, at, label)	\
do {						\
	uint64_t __word = memory(at);		\
						\
	if (!__word)				\
		goto label;			\
	(word) = __word;			\
} while (0)

static u64 memory(u64 at);

#include "observe/unwind/check.h"
#include "observe/unwind/step.h"

#include "cfa.h"
#include "unwind.h"

enum where { NOWHERE, IS, SAME, UNDEFINED };

/* What a rule says of a register of the caller. */
struct value {
	enum where where;
	u64 number;
};

static unsigned long rows, none, bad;

static u64 mix(u64 number)
{
	number *= 0x9e3779b97f4a7c15ull;
	return number ^ number >> 29;
}

static u64 memory(u64 at)
{
	return mix(at ^ 0x6d656d);
}

static u64 register_of(u64 number)
{
	return mix(number + 1) & ~15ull;
}

/* False: the operations are of no kind that is known here. */
static bool compute(const Dwarf_Op *ops, size_t nr, u64 cfa, u64 *result,
		    bool *is_value)
{
	u64 stack[16];
	size_t depth = 0, i;

	*is_value = false;
	for (i = 0; i < nr && depth < 15; i++) {
		u64 a = depth ? stack[depth - 1] : 0;
		u64 b = depth > 1 ? stack[depth - 2] : 0;
		unsigned int atom = ops[i].atom;

		if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
			stack[depth++] = register_of(atom - DW_OP_breg0) +
					 ops[i].number;
		else if (atom == DW_OP_bregx)
			stack[depth++] = register_of(ops[i].number) +
					 ops[i].number2;
		else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
			stack[depth++] = atom - DW_OP_lit0;
		else if (atom == DW_OP_call_frame_cfa)
			stack[depth++] = cfa;
		else if (atom == DW_OP_plus_uconst)
			stack[depth - 1] = a + ops[i].number;
		else if (atom == DW_OP_deref)
			stack[depth - 1] = memory(a);
		else if (atom == DW_OP_stack_value)
			*is_value = true;
		else if (atom == DW_OP_and)
			stack[--depth - 1] = a & b;
		else if (atom == DW_OP_ge)
			stack[--depth - 1] = (s64)b >= (s64)a;
		else if (atom == DW_OP_shl)
			stack[--depth - 1] = b << a;
		else if (atom == DW_OP_plus)
			stack[--depth - 1] = a + b;
		else
			return false;
	}
	/* An expression of a register has the CFA below it. */
	*result = depth ? stack[depth - 1] : 0;
	return depth;
}

static struct value value_of(Dwarf_Frame *frame, int number, u64 cfa)
{
	struct value value = { NOWHERE, 0 };
	Dwarf_Op room[3], *ops;
	bool is_value;
	size_t nr;

	if (dwarf_frame_register(frame, number, room, &ops, &nr))
		return value;
	if (!nr) {
		value.where = ops ? UNDEFINED : SAME;
		value.number = register_of(number);
	} else if (compute(ops, nr, cfa, &value.number, &is_value)) {
		value.where = IS;
		if (!is_value)
			value.number = memory(value.number);
	}
	return value;
}

/* The CFA of a rule that has one. */
static u64 cfa_of(const struct profil_unwind_rule *rule, u64 sp, u64 bp, u64 pc)
{
	u64 k = 8 * (s64)(s8)(rule->kind >> PROFIL_RULE_K_SHIFT);

	switch (rule->kind & PROFIL_RULE_KIND) {
	case PROFIL_RULE_SP:
		return sp + rule->cfa;
	case PROFIL_RULE_BP:
		return bp + rule->cfa;
	case PROFIL_RULE_AT_SP:
		return memory(sp + rule->cfa) + k;
	case PROFIL_RULE_AT_BP:
		return memory(bp + rule->cfa) + k;
	default:
		return sp + 8 + ((s64)(pc % 16) >= rule->cfa ? 8 : 0);
	}
}

/* Whether both say it, or a rule can't say what elfutils says. */
static bool agree(const struct cfa_machine *machine, Dwarf_Frame *frame,
		  const struct profil_unwind_rule *rule, u64 pc)
{
	u64 sp = register_of(machine->sp), bp = register_of(machine->bp), cfa;
	unsigned int kind = rule->kind & PROFIL_RULE_KIND;
	struct value saved_bp, ra;
	Dwarf_Op *ops;
	bool is_value;
	size_t nr;

	ra = value_of(frame, machine->ra, 0);
	if (kind == PROFIL_RULE_END || ra.where == UNDEFINED)
		return kind == PROFIL_RULE_END && ra.where == UNDEFINED;
	if (kind == PROFIL_RULE_SIGNAL)
		return ra.where == IS && ra.number == memory(sp + 168);
	if (dwarf_frame_cfa(frame, &ops, &nr) ||
	    !compute(ops, nr, 0, &cfa, &is_value))
		return kind == PROFIL_RULE_NONE;
	if (kind == PROFIL_RULE_NONE)
		return nr != 1 || (ops->atom != DW_OP_breg0 + machine->sp &&
				   ops->atom != DW_OP_breg0 + machine->bp);
	if (kind == PROFIL_RULE_PLT)
		cfa = sp + 8 + 8 * (pc % 16 >= 11);
	ra = value_of(frame, machine->ra, cfa);
	saved_bp = value_of(frame, machine->bp, cfa);
	if (cfa != cfa_of(rule, sp, bp, pc))
		return false;
	if (rule->kind & PROFIL_RULE_LR)
		return ra.where == SAME;
	if (machine->elf == EM_AARCH64)
		return ra.number == memory(cfa + rule->bp + 8) &&
		       saved_bp.number == memory(cfa + rule->bp);
	if (ra.where != IS || ra.number != memory(cfa - 8))
		return false;
	if (rule->kind & PROFIL_RULE_BP_AT_BP)
		return saved_bp.number == memory(bp + rule->bp);
	if (rule->bp)
		return saved_bp.number == memory(cfa + rule->bp);
	/* gcc's end of a realigned stack is the one that is not so. */
	return saved_bp.where != IS || kind == PROFIL_RULE_SP;
}

static void look(const struct cfa_machine *machine, Dwarf_CFI *cfi, u64 pc,
		 const struct profil_unwind_rule *rule, const char *name)
{
	Dwarf_Frame *frame = NULL;

	if (dwarf_cfi_addrframe(cfi, pc, &frame))
		return;
	rows++;
	none += (rule->kind & PROFIL_RULE_KIND) == PROFIL_RULE_NONE;
	if (!agree(machine, frame, rule, pc) && bad++ < 10)
		printf("# %s %#llx: cfa %d bp %d kind %#x\n", name,
		       (unsigned long long)pc, rule->cfa, rule->bp, rule->kind);
	free(frame);
}

static void judge(const char *name)
{
	int fd = open(name, O_RDONLY), again = open(name, O_RDONLY);
	struct object *object = object_from_file(name, fd);
	struct profil_unwind_view view;
	struct unwind unwind;
	Dwarf_CFI *cfi;
	u32 chunk, row;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(again, ELF_C_READ_MMAP, NULL);
	cfi = elf ? dwarf_getcfi_elf(elf) : NULL;
	if (!cfi || !unwind_compile(&unwind, object)) {
		printf("# %s: no table\n", name);
		bad++;
		return;
	}
	profil_unwind_split(unwind.bytes, &view);
	for (chunk = 0; chunk < view.chunks; chunk++)
		for (row = view.index[chunk]; row < view.index[chunk + 1];
		     row++)
			look(cfa_machine_of(object->machine), cfi,
			     unwind.base + ((u64)chunk << 8) +
			     view.row_low[row],
			     &view.rule[view.row_rule[row]], name);
	printf("# %s: %u rows, %zu bytes\n", name, view.rows, unwind.size);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		judge(argv[i]);
	printf("%lu rows, %lu differ, %lu without a rule\n", rows, bad, none);
	return !rows || bad;
}
