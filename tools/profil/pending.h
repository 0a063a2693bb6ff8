/* SPDX-License-Identifier: MIT */
/* From samples that wait to samples of the model. */
#ifndef PROFIL_PENDING_H
#define PROFIL_PENDING_H

#include "model.h"
#include "process.h"

/* All that can be now; the rest waits. */
void settle_process(struct model *m, struct process *p);
/* All of now, known or not. */
void settle_now(struct model *m);
/* All, at the end; returns how many processes had samples. */
uint32_t settle_rest(struct model *m);

#endif /* PROFIL_PENDING_H */
