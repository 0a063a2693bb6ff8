/* SPDX-License-Identifier: MIT */
/* The program of an .eh_frame entry: which rule finds the caller from where. */
#ifndef PROFIL_CFA_H
#define PROFIL_CFA_H

#include <profil/ioctl.h>
#include <stdint.h>

#include "ehframe.h"

/* The registers that a machine's frames are found by, as DWARF numbers them. */
struct cfa_machine {
	uint16_t elf;		/* EM_* */
	uint8_t bp, sp, ra;
};

/* NULL: the walk does not know the machine. */
const struct cfa_machine *cfa_machine_of(uint16_t elf);

/* Told in ascending order: the rule holds from this address on. */
typedef void cfa_row(void *arg, uint64_t address,
		     const struct profil_unwind_rule *rule);

/*
 * More than all programs of the largest object have.  Each runs that of its
 * common entry too, so the steps are not bounded by the bytes.
 */
#define CFA_STEPS	200000000

/*
 * The programs of one object share *left, which each step decrements.  At 0 a
 * program ends, and its addresses get no rule.
 */
void cfa_run(const struct cfa_machine *machine, const struct common *common,
	     const struct entry *entry, cfa_row *row, void *arg,
	     uint64_t *left);

#endif /* PROFIL_CFA_H */
