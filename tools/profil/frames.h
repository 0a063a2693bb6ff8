/* SPDX-License-Identifier: MIT */
/* What the views show of a sample: a list of frames, interned as numbers. */
#ifndef PROFIL_FRAMES_H
#define PROFIL_FRAMES_H

#include "hash.h"
#include "model.h"

enum frame_kind {
	FRAME_ROOT,		/* all samples */
	FRAME_OBJECT, FRAME_FILE, FRAME_FUNCTION, FRAME_INLINED, FRAME_LINE,
	FRAME_PROGRAM, FRAME_PROCESS,
	FRAME_END,		/* the callers that a path does not show */
	FRAME_SMALL,		/* what is folded, because it is little */
	FRAME_DEEPER,		/* what is folded, because it is deep */
};

struct frame {
	enum frame_kind kind;
	const char *name;	/* interned by the model, as is object */
	const char *object;	/* path, or "" */
	uint32_t function;	/* the frame without inlining: one for both */
};

struct frames {
	struct model *m;
	struct frame *list;	/* [0] is FRAME_ROOT */
	uint32_t nr;
	uint32_t small, deeper;
	bool ends_said;		/* by the labels of paths */
	struct table *table;
	uint32_t *first;	/* of each location, in ids; 0: not made yet */
	uint32_t *ids;		/* innermost first */
	size_t nr_ids;
};

struct frames *frames_new(struct model *m);
void frames_free(struct frames *f);

/* Of each line, innermost first; one if there is no line. */
const uint32_t *frames_of_location(struct frames *f, uint32_t location);

/* A list that serves for one sample after the other. */
struct frame_list {
	uint32_t *ids;
	size_t nr;
};

/*
 * The whole path of a sample, leaf first: kernel work, functions and what is
 * inlined in them, and FRAME_END if the path is not whole.
 */
void frames_of_sample(struct frames *f, const struct sample *sample,
		      struct frame_list *list);

enum view {
	VIEW_PLACES,	/* object > file > function > inlined > line */
	VIEW_CALLS,	/* outermost function first */
	VIEW_CALLERS,	/* innermost function first */
	VIEW_PROCESSES,	/* program > process > calls */
	NR_VIEWS
};

/* More levels than one can look at. */
#define STACK_DEPTH	1000

struct stack {
	const uint32_t *ids;	/* as the view goes, at most STACK_DEPTH */
	size_t nr;
	uint64_t count;		/* samples; of two sides, those of the new one */
	uint64_t base;		/* those of the other */
};

struct stacks {
	struct stack *list;	/* sorted: those that begin alike stand together */
	size_t nr;
	uint32_t *ids;
};

struct stacks stacks_make(struct frames *f, enum view view);
/* The paths, outermost first, however deep they are. */
struct stacks stacks_whole(struct frames *f);
void stacks_free(struct stacks *stacks);

#endif /* PROFIL_FRAMES_H */
