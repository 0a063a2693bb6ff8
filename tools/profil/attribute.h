/* SPDX-License-Identifier: MIT */
/* Samples of processes become samples of the model. */
#ifndef PROFIL_ATTRIBUTE_H
#define PROFIL_ATTRIBUTE_H

#include "model.h"
#include "place.h"

void attribute_sample(struct model *m, const struct process *p,
		      const struct pending *sample, const struct place *place);
/* Gives the locations of all objects their functions. */
void attribute_names(struct model *m);

#endif /* PROFIL_ATTRIBUTE_H */
