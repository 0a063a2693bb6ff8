/* SPDX-License-Identifier: MIT */
/* Samples of processes become samples of the model. */
#ifndef PROFIL_ATTRIBUTE_H
#define PROFIL_ATTRIBUTE_H

#include "model.h"
#include "paths.h"

/* The places are what paths_find() has just said. */
void attribute_sample(struct model *m, const struct process *p,
		      const struct pending *sample, struct placed *placed,
		      size_t nr_places);
/* Adds what threads used to the model. */
void attribute_threads(struct model *m);
/* The object of a mapping of the model; NULL: it has no file. */
struct object *attribute_object(uint32_t mapping);
/* What comes next is for a new model. */
void attribute_forget(void);
/* Gives the locations of all objects their functions. */
void attribute_names(struct model *m);

#endif /* PROFIL_ATTRIBUTE_H */
