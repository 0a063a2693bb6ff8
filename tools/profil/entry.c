// SPDX-License-Identifier: MIT
/*
 * How a thread entered the kernel, by the instructions before its pc (x86).
 *
 * The number of a system call is what was put into eax last.  The compiler may
 * have placed some instructions between that and the call.  They are decoded,
 * so far as they go on and do not write eax; anything else means that the number
 * is not known.
 */
#include <elf.h>
#include <string.h>

#include "entry.h"
#include "insn.h"

#define NUMBER_MAX	1024

/* The size of an instruction that leaves a register alone and goes on; else 0. */
static size_t size_of(const unsigned char *code, size_t n, unsigned int reg)
{
	struct insn insn;

	if (!insn_read(&insn, code, n) || insn_writes(&insn, reg))
		return 0;
	if (insn.flow == INSN_JUMP && insn.target > 0)
		return insn.size + (size_t)insn.target;
	return insn.flow ? 0 : insn.size;
}

static bool goes_on(const unsigned char *code, size_t n, unsigned int reg)
{
	size_t size;

	while (n) {
		size = size_of(code, n, reg);
		if (!size || size > n)
			return false;
		code += size;
		n -= size;
	}
	return true;
}

/* What an instruction at the end of these bytes puts into a register, or -1. */
static int number_put(const unsigned char *code, size_t n, unsigned int reg)
{
	int32_t number;

	if (reg == INSN_AX && n >= 2 &&
	    (code[n - 2] == 0x31 || code[n - 2] == 0x33) &&
	    code[n - 1] == 0xc0 && (n < 3 || code[n - 3] >> 4 != 4))
		return 0;
	if (n < 5)
		return -1;
	memcpy(&number, code + n - 4, sizeof(number));
	if (number < 0 || number >= NUMBER_MAX)
		return -1;
	if (code[n - 5] == 0xb8 + reg && (n < 6 || code[n - 6] >> 4 != 4))
		return number;
	if (n >= 7 && code[n - 7] == 0x48 && code[n - 6] == 0xc7 &&
	    code[n - 5] == 0xc0 + reg)
		return number;
	return -1;
}

static int number_of(const unsigned char *code, size_t n, unsigned int reg)
{
	size_t end;
	int number;

	for (end = n; end; end--) {
		number = number_put(code, end, reg);
		if (number >= 0 && goes_on(code + end, n - end, reg))
			return number;
	}
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
	int number;

	if (machine == EM_AARCH64)
		return entry_number_arm64(code, n);
	/* int 0x80 and sysenter have numbers of their own. */
	if (n < 2 || code[n - 2] != 0x0f || code[n - 1] != 0x05)
		return -1;
	n -= 2;
	number = number_of(code, n, INSN_AX);
	/* _exit() in a loop of two calls has the numbers in other registers. */
	if (number < 0 && n > 2 && code[n - 2] == 0x89 &&
	    (code[n - 1] & 0xc7) == 0xc0 && code[n - 3] >> 4 != 4)
		number = number_of(code, n - 2, code[n - 1] >> 3 & 7);
	return number;
}
