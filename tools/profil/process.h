/* SPDX-License-Identifier: MIT */
/* Images: programs in processes, as the kernel numbers them. */
#ifndef PROFIL_PROCESS_H
#define PROFIL_PROCESS_H

#include <profil/ioctl.h>

#include "jit.h"
#include "maps.h"

/* Samples that wait for their place. */
struct pending {
	uint64_t pc;		/* with PROFIL_NODE_KERNEL */
	uint64_t thread;
	uint64_t count;
};

struct process {
	uint32_t number;
	bool told;		/* its record has come */
	bool ended;
	bool has_maps;
	bool may_have_jit;	/* text in no file */
	bool listed;		/* in the list of those with new samples */
	struct profil_image about;
	char *path;
	uid_t uid;
	struct view view;
	struct maps maps;
	struct jit jit;
	int64_t look_ns;	/* when to read maps again; 0: only if needed */
	int64_t looked_ns;
	uint64_t pages;		/* its size when maps were read */
	struct pending *pending;
	size_t nr_pending;
	size_t unite_at;	/* when equal ones are united */
};

/* The image of a number, made now if it is new. */
struct process *process_get(uint32_t number);
/* NULL: there is no such image. */
struct process *process_find(uint32_t number);
/* From 1 to this. */
uint32_t process_last(void);

void process_told(struct process *p, const struct profil_image *image);
/*
 * Reads its maps if it lives, if its size has changed or must is set.  Returns
 * true if they were read.
 */
bool process_look(struct process *p, bool must);
/* What it tells of functions that it made itself. */
void process_read_jit(struct process *p);
/* It has ended, and what it had open is closed. */
void process_end(struct process *p);
void process_add(struct process *p, uint64_t thread, uint64_t pc,
		 uint64_t count);

/* Processes of the same executable that had maps; NULL after the last. */
struct process *process_peer(const struct process *p, size_t i);

/* CLOCK_MONOTONIC. */
int64_t now_ns(void);

/* Looks that were left out, because maps took more than their share of time. */
extern uint64_t process_looks_left_out;

#endif /* PROFIL_PROCESS_H */
