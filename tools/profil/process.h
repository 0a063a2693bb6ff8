/* SPDX-License-Identifier: MIT */
/* Images: programs in processes, as the kernel numbers them. */
#ifndef PROFIL_PROCESS_H
#define PROFIL_PROCESS_H

#include <profil/ioctl.h>

#include "jit.h"
#include "maps.h"
#include "observe.h"

/* Samples that wait for their places. */
struct pending {
	uint64_t *pcs;		/* see struct observe_path */
	uint32_t nr, end;
	uint64_t thread;
	uint64_t count;
	struct between when;	/* told apart for JITs alone */
};

struct process {
	uint32_t number;
	bool told;		/* its record has come */
	bool ended;
	bool has_maps;
	bool is_peer;		/* others of its executable look at its maps */
	bool may_have_jit;	/* text in no file */
	bool sampled;		/* while the recording was on */
	bool listed;		/* in the list of those with new samples */
	bool wants_tables;	/* in the list of those with new maps */
	struct profil_unwind_map *given;	/* its maps in the kernel */
	size_t nr_given;
	struct profil_image about;
	char *path;
	char *cgroup;		/* with its maps; NULL: that of this program */
	uid_t uid;
	struct view view;
	struct maps maps;
	struct jit jit;
	bool jit_is_whole;	/* nothing more is waited for */
	struct between when;	/* of the sample that is placed */
	size_t nr_late;		/* pending, for what the JIT has not told yet */
	int64_t look_ns;	/* when to read maps again; 0: only if needed */
	unsigned int looks;	/* while it was young */
	int64_t looked_ns;
	uint64_t pages;		/* its size when maps were read */
	uint64_t thread;	/* the number of its thread if it had one alone */
	uint32_t nr_threads;	/* that were told of */
	struct pending *pending;
	size_t nr_pending;
	size_t unite_at;	/* when equal ones are united */
};

/* The image of a number, made now if it is new. */
struct process *process_get(uint32_t number);
/* NULL: there is no such image. */
struct process *process_find(uint32_t number);
/* The one of the next number that there is; that behind NULL is the first. */
struct process *process_next(const struct process *p);
/* Frees those that have ended and that no other needs for its names. */
void processes_forget(void);

void process_told(struct process *p, const struct profil_image *image);
/*
 * Reads its maps if it lives, if its size has changed or must is set.  Returns
 * true if they were read.
 */
bool process_look(struct process *p, bool must);
/* The same while it is young: again and again, until its libraries are there. */
bool process_look_young(struct process *p);
/* What it tells of functions that it made itself. */
void process_read_jit(struct process *p);
/* It has ended, and what it had open is closed. */
void process_end(struct process *p);
/* Ends each process whose memory is gone.  The kernel had no room for its record. */
void processes_end_gone(void);
/* The memory of what has its pid now, to be closed; or -1. */
int process_open_memory(const struct process *p);
void process_add(struct process *p, uint64_t thread,
		 const struct observe_path *path, uint64_t count,
		 const struct between *when);

/* Its path; NULL: that of this program, or not known. */
const char *process_cgroup(const struct process *p);

/* What it was forked from and still runs the program of, if that had maps. */
struct process *process_parent(const struct process *p);

/* Processes of the same executable that had maps; NULL after the last. */
struct process *process_peer(const struct process *p, size_t i);

/* CLOCK_MONOTONIC. */
int64_t now_ns(void);

/* Looks that were left out, because maps took more than their share of time. */
extern uint64_t process_looks_left_out;

#endif /* PROFIL_PROCESS_H */
