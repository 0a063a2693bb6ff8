/* SPDX-License-Identifier: MIT */
/* Objects: the executables and libraries in which pcs lie, each once. */
#ifndef PROFIL_OBJECT_H
#define PROFIL_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A part of the file that is mapped as text. */
struct segment {
	uint64_t vaddr, offset, size;
	uint32_t mapping;	/* in the model of that generation */
	uint32_t generation;	/* 0: in none */
};

/* The kernel marks the path of a file that has no name any more. */
#define DELETED_MARK	" (deleted)"

struct object {
	uint64_t dev, ino;	/* as /proc/PID/maps has them */
	char *path;		/* as the process has it */
	char *build_id;		/* hexadecimal, or NULL */
	char *interp;		/* path of its loader, or NULL */
	int fd;			/* or -1 */
	bool missed;		/* each process that had it ended too early */
	bool sought;		/* by the path of the kernel's record */
	unsigned char *memory;	/* instead of a file; image.c and the vdso */
	size_t size;
	uint64_t entry;
	bool fixed;		/* mapped where it was linked to be */
	bool is_elf;
	uint16_t machine;	/* EM_*; 0: not of 64 bits */
	struct segment *segments;
	size_t nr_segments;
	struct table *table;	/* tables.c; NULL before it was asked for */
	bool used;		/* by a map, since objects_forget() */
	bool kept;		/* by its path, so that it is not forgotten */
};

/* How a process sees files; each may be -1. */
struct view {
	int root;		/* its root directory */
	int mem;		/* its /proc/PID/mem */
	pid_t pid;
};

/* A file that is mapped, as /proc/PID/maps or a record tells of it. */
struct mapped {
	uint64_t dev, ino;
	const char *path;
	uint64_t head;		/* address of the file's beginning, or 0 */
	uint64_t start, end;	/* of the mapping, or 0 */
};

/*
 * The object of a mapped file, opened now if it is new.  Its file is that which is
 * mapped, or fd is -1 and it is read from memory if it can be.  NULL: the process
 * ended before that was sure.
 */
struct object *object_get(const struct mapped *file, const struct view *view);
/* The object, if it has been seen. */
struct object *object_find(uint64_t dev, uint64_t ino);
/* Of an open file, which is taken over, and has the path. */
struct object *object_from_file(const char *path, int fd);
/* Gives an object without a file the open one. */
void object_give(struct object *object, int fd);
/* From size bytes of a process's memory. */
struct object *object_from_memory(const char *path, int mem, uint64_t address,
				  size_t size);
/* One of memory that is not needed. */
void object_drop(struct object *object);

/* There are twice as many as were left by objects_forget(). */
bool objects_many(void);
/* Closes and frees those that no map uses, after telling of each. */
void objects_forget(void (*tell)(void *arg, struct object *object), void *arg);

/* A regular file below a root (-1: one's own), without waiting; or -1. */
int object_open(int root, const char *path, int flags);

/* Bytes of the object's file or memory; returns how many there were. */
size_t object_read(const struct object *object, void *to, size_t size,
		   uint64_t offset);

/* The segment that has a file's offset, or an address of the linker's. */
struct segment *object_segment(const struct object *object, uint64_t offset);
struct segment *object_segment_at(const struct object *object, uint64_t vaddr);

#endif /* PROFIL_OBJECT_H */
