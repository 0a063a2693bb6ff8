// SPDX-License-Identifier: MIT
/*
 * How a thread entered the kernel, by the instructions before its pc (arm64).
 *
 * The number of a system call is what was put into x8 last.  Between that and
 * the call may be instructions that neither jump nor write x8.
 */
#include <stdint.h>
#include <string.h>

#include "entry.h"

#define SVC_0		0xd4000001u
#define NOP		0xd503201fu
#define X8		8u

static uint32_t word_at(const unsigned char *code, size_t at)
{
	uint32_t word;

	memcpy(&word, code + at, sizeof(word));
	return word;
}

/* movz to w8 or x8: the number that it puts there, or -1. */
static int number_put(uint32_t word)
{
	return (word & 0x7fe0001f) == (0x52800000 | X8) ?
	       (int)(word >> 5 & 0xffff) : -1;
}

/*
 * False also for some that do not write x8: a store of it, say.  Of loads and
 * stores the second register counts, and the one that an address is in.
 */
static bool leaves_x8(uint32_t word)
{
	bool is_memory = (word >> 25 & 5) == 4;
	bool is_branch = (word >> 26 & 7) == 5;

	if (is_branch)
		return word == NOP;
	if ((word & 0x1f) == X8)
		return false;
	return !is_memory || ((word >> 5 & 0x1f) != X8 &&
			      (word >> 10 & 0x1f) != X8);
}

bool entry_is_syscall_arm64(const unsigned char *code, size_t n)
{
	return n >= 4 && word_at(code, n - 4) == SVC_0;
}

int entry_number_arm64(const unsigned char *code, size_t n)
{
	uint32_t word;
	int number;

	if (!entry_is_syscall_arm64(code, n))
		return -1;
	for (n -= 4; n >= 4; n -= 4) {
		word = word_at(code, n - 4);
		number = number_put(word);
		if (number >= 0)
			return number;
		if (!leaves_x8(word))
			return -1;
	}
	return -1;
}
