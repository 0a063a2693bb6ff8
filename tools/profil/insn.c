// SPDX-License-Identifier: MIT
/*
 * Instructions of x86-64: how long they are, and what they do to registers.
 *
 * Those are known that stand before system calls, and in text that is the same in
 * each program.  Of others it is said that they are not.
 */
#include <string.h>

#include "insn.h"

enum {
	OPERANDS = 1,	/* ModRM, and what goes with it */
	BYTE = 2,	/* an immediate of 1 byte */
	WORD = 4,	/* of 4 bytes, or of 2 with the prefix 66 */
	TO_REG = 8,	/* writes the register of ModRM */
	TO_RM = 16,	/* writes the other operand */
};

/* What an instruction consists of; 0 for one that is not known here. */
static int form_of(unsigned int op)
{
	switch (op) {
	case 0x01: case 0x09: case 0x21: case 0x29: case 0x31: case 0x88:
	case 0x89: case 0xd1: case 0xd3:
		return OPERANDS | TO_RM;
	case 0x03: case 0x0b: case 0x23: case 0x2b: case 0x33: case 0x63:
	case 0x8a: case 0x8b: case 0x8d: case 0x0fb6: case 0x0fb7: case 0x0fbe:
	case 0x0fbf:
		return OPERANDS | TO_REG;
	case 0x38: case 0x39: case 0x3b: case 0x84: case 0x85: case 0x0f10:
	case 0x0f11: case 0x0f1f: case 0x0f28: case 0x0f29: case 0x0f6c:
	case 0x0f6f: case 0x0f7f: case 0x0f1e:
		return OPERANDS;
	case 0x83: case 0xc0: case 0xc1: case 0xc6: case 0x80:
		return OPERANDS | BYTE | TO_RM;
	case 0x81: case 0xc7:
		return OPERANDS | WORD | TO_RM;
	}
	if (op >= 0x0f40 && op <= 0x0f4f)	/* cmov */
		return OPERANDS | TO_REG;
	if (op >= 0x0f90 && op <= 0x0f9f)	/* set */
		return OPERANDS | TO_RM;
	return 0;
}

/* The bytes of ModRM, SIB and displacement. */
static size_t operand_bytes(const unsigned char *code, size_t n)
{
	unsigned int mod, rm;
	size_t size = 1;

	if (!n)
		return 1;
	mod = code[0] >> 6;
	rm = code[0] & 7;
	if (mod == 3)
		return 1;
	if (rm == 4) {
		size++;
		if (n > 1 && mod == 0 && (code[1] & 7) == 5)
			size += 4;
	}
	if (mod == 1)
		size += 1;
	else if (mod == 2 || (mod == 0 && rm == 5))
		size += 4;
	return size;
}

/* Reads a call, a branch, a jump or a return.  False: the instruction is another. */
static bool read_flow(struct insn *insn, const unsigned char *code, size_t n,
		      size_t at)
{
	size_t width = 0;

	if (insn->op == 0xc3)
		insn->flow = INSN_RETURN;
	else if (insn->op == 0xe8)
		insn->flow = INSN_CALL;
	else if (insn->op == 0xe9 || insn->op == 0xeb)
		insn->flow = INSN_JUMP;
	else if (insn->op >> 4 == 0x7 || insn->op >> 4 == 0x0f8)
		insn->flow = INSN_BRANCH;
	else
		return false;
	if (insn->flow != INSN_RETURN)
		width = insn->op == 0xeb || insn->op >> 4 == 0x7 ? 1 : 4;
	insn->size = at + width;
	if (insn->size > n)
		return true;
	if (width == 4)
		memcpy(&insn->target, code + at, sizeof(insn->target));
	else if (width)
		insn->target = code[at] < 0x80 ? code[at] : code[at] - 0x100;
	return true;
}

/* Through a register or memory. */
static bool read_indirect(struct insn *insn, size_t at, size_t operands)
{
	unsigned int what = insn->modrm >> 3 & 7;

	if (what != 2 && what != 4)
		return false;
	insn->flow = what == 2 ? INSN_CALL : INSN_AWAY;
	insn->size = at + operands;
	return true;
}

static bool read_operands(struct insn *insn, const unsigned char *code,
			  size_t n, size_t at, bool narrow)
{
	size_t operands;

	if (at >= n)
		return false;
	insn->modrm = code[at];
	operands = operand_bytes(code + at, n - at);
	if (insn->op == 0xff)
		return read_indirect(insn, at, operands);
	insn->form = form_of(insn->op);
	insn->size = at + operands;
	if (insn->form & BYTE)
		insn->size += 1;
	if (insn->form & WORD)
		insn->size += narrow ? 2 : 4;
	return insn->form;
}

static bool read_one(struct insn *insn, const unsigned char *code, size_t n)
{
	bool narrow = false;
	size_t at = 0;

	while (at < n && (code[at] == 0x66 || code[at] == 0x64 ||
			  code[at] == 0xf3 || code[at] == 0x2e))
		narrow |= code[at++] == 0x66;
	if (at < n && code[at] >> 4 == 4)
		insn->rex = code[at++];
	if (at >= n)
		return false;
	insn->op = code[at++];
	if (insn->op == 0x0f && at < n)
		insn->op = insn->op << 8 | code[at++];
	if (insn->op >= 0xb8 && insn->op <= 0xbf) {	/* mov to a register */
		insn->size = at + (insn->rex & 8 ? 8 : narrow ? 2 : 4);
		return true;
	}
	insn->size = at;
	if ((insn->op >= 0x50 && insn->op <= 0x5f) || insn->op == 0x90)
		return true;
	return read_flow(insn, code, n, at) ||
	       read_operands(insn, code, n, at, narrow);
}

bool insn_read(struct insn *insn, const unsigned char *code, size_t n)
{
	*insn = (struct insn){ 0 };
	return read_one(insn, code, n) && insn->size <= n;
}

bool insn_writes(const struct insn *insn, unsigned int reg)
{
	unsigned int high = (insn->rex & 1) << 3;

	if (insn->op >= 0xb8 && insn->op <= 0xbf)
		return ((insn->op & 7) | high) == reg;
	if (insn->op >= 0x50 && insn->op <= 0x5f)
		return reg == INSN_SP ||
		       (insn->op >= 0x58 && ((insn->op & 7) | high) == reg);
	return (insn->form & TO_REG &&
		((insn->modrm >> 3 & 7) | (insn->rex & 4) << 1) == reg) ||
	       (insn->form & TO_RM && insn->modrm >> 6 == 3 &&
		((insn->modrm & 7) | high) == reg);
}
