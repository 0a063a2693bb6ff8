/* SPDX-License-Identifier: MIT */
/* The kernel's tables of what runs: one an object, and the maps of each image. */
#ifndef PROFIL_TABLES_H
#define PROFIL_TABLES_H

#include "process.h"

/* The maps of a process have changed. */
void tables_want(struct process *p);
/*
 * Compiles and gives a piece of what is wanted, so that between two pieces there
 * is time for a swap.  Returns when there is more to do, INT64_MAX for never.
 */
int64_t tables_give(const struct observer *o, int64_t now);
/* The object's table; true if it was new, which takes time. */
bool tables_compile(struct object *object);
/*
 * What is known of an offset in an object's file: PROFIL_RULE_END where an
 * outermost function is, PROFIL_RULE_SIGNAL where a handler returns to, or 0.
 */
uint32_t tables_mark(const struct object *object, uint64_t offset);
/* The object is about to be freed; the kernel need not keep its table. */
void tables_drop(const struct observer *o, struct object *object);
/* The object is known by its frame pointers, or not at all. */
bool tables_has_none(const struct object *object);
/* Objects with a table for which the kernel found no memory. */
extern unsigned int tables_left_out;

#endif /* PROFIL_TABLES_H */
