/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of steps share: the program that runs instruction by
 * instruction, its maps, and paths of its stack.
 */
#ifndef PROFIL_TEST_STEPS_H
#define PROFIL_TEST_STEPS_H

#include <elfutils/libdwfl.h>
#include <sys/types.h>
#include <sys/user.h>

#include "../../host/kernel.h"

#include "maps.h"

#define FRAMES_MAX	255

struct path {
	u64 pc[FRAMES_MAX];
	unsigned int nr;
	bool guessed;		/* behind the last */
	bool coroutine;		/* ends at a return address of 0 */
};

extern pid_t steps_child;
extern struct maps steps_maps;

/* The word at an address of the program; false where nothing is mapped. */
bool steps_read(u64 *word, u64 at);

/*
 * The path by the kernel's walk, and how it ends; the tables are shifted by so
 * much against the text.
 */
int steps_walk(const struct user_regs_struct *regs, u64 shift,
	       struct path *path);

void steps_print(const char *name, const struct path *path);

/* Both walks of the stack: the kernel's and elfutils'. */
Dwfl *steps_open(void);
void steps_compare(Dwfl *dwfl, const struct user_regs_struct *regs);

/* Prints how paths ended; false if one differs. */
bool steps_compared(unsigned long steps);

/* The path as profil shows it, by right tables and by wrong ones. */
void steps_judge(const struct user_regs_struct *regs);

/* Prints what was found; false if profil takes wrong paths for right ones. */
bool steps_judged(void);

#endif /* PROFIL_TEST_STEPS_H */
