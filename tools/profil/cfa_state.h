/* SPDX-License-Identifier: MIT */
/*
 * What a program of .eh_frame has said so far, the numbers that it consists of,
 * and the rule that follows.
 */
#ifndef PROFIL_CFA_STATE_H
#define PROFIL_CFA_STATE_H

#include <profil/ioctl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfa.h"

/* Where the caller's register is. */
enum how { SAME, AT_CFA, AT_BP, AT_SP, UNDEFINED, ELSEWHERE };

struct saved {
	enum how how;
	int64_t offset;
};

struct state {
	unsigned int cfa;	/* PROFIL_RULE_*; or another */
	uint64_t cfa_register;	/* of SP and BP */
	int64_t offset, add;	/* as in struct profil_unwind_rule; add: k */
	struct saved bp, ra;
	bool sp_moved;		/* the caller's sp is not the CFA */
};

/* The state as a rule of the kernel, or PROFIL_RULE_NONE if no rule says it. */
struct profil_unwind_rule cfa_rule(const struct cfa_machine *machine,
				   const struct state *state, bool is_signal);

/* Bytes that are read from the front; bad: they ended too early. */
struct code {
	const unsigned char *at, *end;
	bool bad;
};

uint64_t get_fixed(struct code *code, size_t width);
uint64_t get_long_unsigned(struct code *code);	/* LEB128 */
int64_t get_signed(struct code *code);
struct code get_block(struct code *code);	/* after its size */

/* LEB128.  The first case is inline, because nearly all numbers have one byte. */
static inline uint64_t get_unsigned(struct code *code)
{
	if (code->at < code->end && *code->at < 0x80)
		return *code->at++;
	return get_long_unsigned(code);
}

#endif /* PROFIL_CFA_STATE_H */
