// SPDX-License-Identifier: MIT
/*
 * How a thread entered the kernel, by the instructions before its pc (x86).
 *
 * The number of a system call is what was put into eax last.  The compiler may
 * have placed some instructions between that and the call.  They are decoded,
 * so far as they neither jump nor write eax; anything else means that the number
 * is not known.
 */
#include <elf.h>
#include <string.h>

#include "entry.h"

#define NUMBER_MAX	1024
#define AX		0

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
	case 0x0f6f: case 0x0f7f:
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

static bool writes_ax(int form, unsigned int modrm, unsigned int rex)
{
	unsigned int reg = (modrm >> 3 & 7) | (rex & 4) << 1;
	unsigned int rm = (modrm & 7) | (rex & 1) << 3;

	return (form & TO_REG && reg == AX) ||
	       (form & TO_RM && modrm >> 6 == 3 && rm == AX);
}

/* The size of an instruction that leaves eax alone and goes on; else 0. */
static size_t size_of(const unsigned char *code, size_t n)
{
	unsigned int op, rex = 0;
	bool narrow = false;
	size_t at = 0, operands;
	int form;

	while (at < n && (code[at] == 0x66 || code[at] == 0x64 ||
			  code[at] == 0xf3 || code[at] == 0x2e))
		narrow |= code[at++] == 0x66;
	if (at < n && code[at] >> 4 == 4)
		rex = code[at++];
	if (at >= n)
		return 0;
	op = code[at++];
	if (op == 0x0f && at < n)
		op = op << 8 | code[at++];
	if (op >= 0xb8 && op <= 0xbf)	/* mov to a register */
		return op - 0xb8 + (rex & 1) == AX ? 0 :
		       at + (rex & 8 ? 8 : narrow ? 2 : 4);
	if (op >= 0x50 && op <= 0x5f)	/* push and pop */
		return op == 0x58 && !(rex & 1) ? 0 : at;
	if (op == 0x90)
		return at;
	form = form_of(op);
	if (!form || at >= n || writes_ax(form, code[at], rex))
		return 0;
	operands = operand_bytes(code + at, n - at);
	at += operands;
	if (form & BYTE)
		at += 1;
	if (form & WORD)
		at += narrow ? 2 : 4;
	return at;
}

static bool goes_on(const unsigned char *code, size_t n)
{
	size_t size;

	while (n) {
		size = size_of(code, n);
		if (!size || size > n)
			return false;
		code += size;
		n -= size;
	}
	return true;
}

/* What an instruction at the end of these bytes puts into eax, or -1. */
static int number_put(const unsigned char *code, size_t n)
{
	int32_t number;

	if (n >= 2 && (code[n - 2] == 0x31 || code[n - 2] == 0x33) &&
	    code[n - 1] == 0xc0 && (n < 3 || code[n - 3] >> 4 != 4))
		return 0;
	if (n < 5)
		return -1;
	memcpy(&number, code + n - 4, sizeof(number));
	if (number < 0 || number >= NUMBER_MAX)
		return -1;
	if (code[n - 5] == 0xb8 && (n < 6 || code[n - 6] >> 4 != 4))
		return number;
	if (n >= 7 && !memcmp(code + n - 7, "\x48\xc7\xc0", 3))
		return number;
	return -1;
}

bool entry_is_syscall(uint16_t machine, const unsigned char *code, size_t n)
{
	if (machine == EM_AARCH64)
		return entry_is_syscall_arm64(code, n);
	if (n < 2)
		return false;
	code += n - 2;
	return (code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) ||
	       (code[0] == 0xcd && code[1] == 0x80);
}

int entry_number(uint16_t machine, const unsigned char *code, size_t n)
{
	size_t end;
	int number;

	if (machine == EM_AARCH64)
		return entry_number_arm64(code, n);
	/* int 0x80 and sysenter have numbers of their own. */
	if (n < 2 || code[n - 2] != 0x0f || code[n - 1] != 0x05)
		return -1;
	n -= 2;
	for (end = n; end; end--) {
		number = number_put(code, end);
		if (number >= 0 && goes_on(code + end, n - end))
			return number;
	}
	return -1;
}
