/* SPDX-License-Identifier: MIT */
/* A FUNCTION as a user names it: [OBJECT:]NAME. */
#ifndef PROFIL_NAMED_H
#define PROFIL_NAMED_H

#include "model.h"

/* The name, as the linker has it too, with or without parameters. */
bool name_means(const char *wanted, const char *name, const char *system_name);

/* The path, or its last part. */
bool object_means(const char *wanted, size_t length, const char *path);

#endif /* PROFIL_NAMED_H */
