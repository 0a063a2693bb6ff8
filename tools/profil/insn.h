/* SPDX-License-Identifier: MIT */
/* Instructions of x86-64: how long they are, and what they do to registers. */
#ifndef PROFIL_INSN_H
#define PROFIL_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers, as instructions number them. */
#define INSN_AX	0
#define INSN_SP	4
#define INSN_BP	5

/* Where a thread goes that does not just go on.  AWAY has no constant target. */
enum insn_flow {
	INSN_GOES_ON, INSN_CALL, INSN_BRANCH, INSN_JUMP, INSN_AWAY, INSN_RETURN,
};

struct insn {
	size_t size;
	unsigned int op, rex, modrm;	/* op: two bytes if the first is 0f */
	int form;
	enum insn_flow flow;
	int32_t target;		/* of a branch and a jump, from the next one on */
};

/* False: the bytes end within the instruction, or it is not known here. */
bool insn_read(struct insn *insn, const unsigned char *code, size_t n);
/* A call is not asked for. */
bool insn_writes(const struct insn *insn, unsigned int reg);

#endif /* PROFIL_INSN_H */
