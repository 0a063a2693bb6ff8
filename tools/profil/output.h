/* SPDX-License-Identifier: MIT */
/* The file that a command writes, whole or not at all. */
#ifndef PROFIL_OUTPUT_H
#define PROFIL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *file;
	const char *path;
	char *temporary;	/* NULL: written in place */
};

/*
 * "-" is standard output.  What fails ends the program, and so does a profile that
 * is there, unless another one is written.
 */
struct output output_begin(const char *path, bool is_profile);
/* Gives the file its name.  True: there is a file, and not what was there. */
bool output_end(struct output *output);

#endif /* PROFIL_OUTPUT_H */
