/* SPDX-License-Identifier: MIT */
/* Changes for people and for other programs. */
#ifndef PROFIL_CHANGES_OUT_H
#define PROFIL_CHANGES_OUT_H

#include "changes.h"
#include "head.h"

/* Lines of text about both sides and the result, allocated; safe to print. */
char *changes_head(const struct changes *c);
/* At most so many rows; what is noise is grey on a terminal. */
void changes_table(const struct changes *c, size_t limit,
		   const struct terminal *terminal);
void changes_csv(const struct changes *c, size_t limit);
void changes_json(const struct changes *c, size_t limit);

#endif /* PROFIL_CHANGES_OUT_H */
