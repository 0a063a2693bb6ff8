// SPDX-License-Identifier: MIT
/*
 * Finding and opening the file that is mapped, and no other.
 *
 * The path in /proc/PID/maps may name another file by now, lead out of the
 * process's root, or be a FIFO.  A file is taken if it has the mapped one's
 * device and inode.  On file systems that show others, such as overlayfs, it is
 * taken for the same first bytes as the mapping, which hold the build-id.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "elffile.h"
#include "image.h"
#include "object.h"
#include "util.h"

#define HEAD_SIZE	4096
#define NR_BUCKETS	1024
#define MANY		128

static struct bucket {
	struct object **objects;
	size_t nr;
} buckets[NR_BUCKETS];

static size_t nr_objects, nr_left;	/* in buckets */

static struct bucket *bucket_of(uint64_t dev, uint64_t ino)
{
	return &buckets[(ino * 0x9e3779b97f4a7c15ull ^ dev) >> 54];
}

struct object *object_find(uint64_t dev, uint64_t ino)
{
	struct bucket *bucket = bucket_of(dev, ino);
	size_t i;

	for (i = 0; i < bucket->nr; i++)
		if (bucket->objects[i]->dev == dev &&
		    bucket->objects[i]->ino == ino)
			return bucket->objects[i];
	return NULL;
}

int object_open(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	struct stat st;
	int fd;

	if (root < 0)
		fd = open(path, (int)how.flags);
	else
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The kernel's dev_t in a record or in maps: major << 20 | minor. */
static uint64_t kernel_dev(dev_t dev)
{
	return (uint64_t)major(dev) << 20 | minor(dev);
}

static bool same_head(int fd, const struct view *view, uint64_t head)
{
	unsigned char file[HEAD_SIZE], memory[HEAD_SIZE];
	ssize_t size = pread(fd, file, sizeof(file), 0);

	return head && view->mem >= 0 && size >= 64 &&
	       pread(view->mem, memory, (size_t)size, (off_t)head) == size &&
	       !memcmp(file, memory, (size_t)size);
}

/* The file if it is the mapped one, else it is closed. */
static int check_file(int fd, const struct mapped *file,
		      const struct view *view)
{
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && ((kernel_dev(st.st_dev) == file->dev &&
				 st.st_ino == file->ino) ||
				same_head(fd, view, file->head)))
		return fd;
	close(fd);
	return -1;
}

/* Reached through /proc, it is the process's file even if it was deleted. */
static int open_link(const char *name)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_exe(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	return open_link(name);
}

/* Root's alone. */
static int open_map_file(const struct mapped *file, pid_t pid)
{
	char name[96];

	snprintf(name, sizeof(name), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 pid, file->start, file->end);
	return open_link(name);
}

static int open_mapped(const struct mapped *file, const struct view *view)
{
	int fd = -1;

	if (file->path[0] == '/')
		fd = check_file(object_open(view->root, file->path, 0), file,
				view);
	if (fd < 0 && view->pid > 0)
		fd = check_file(open_exe(view->pid), file, view);
	if (fd < 0 && view->pid > 0)
		fd = check_file(open_map_file(file, view->pid), file, view);
	return fd;
}

static char *path_without_mark(const char *path)
{
	size_t length = strlen(path), end = strlen(DELETED_MARK);
	char *copy = xstrdup(path);

	if (length > end && !strcmp(path + length - end, DELETED_MARK))
		copy[length - end] = '\0';
	return copy;
}

static struct object *make_object(const struct mapped *file, int fd)
{
	struct bucket *bucket = bucket_of(file->dev, file->ino);
	struct object *object = xcalloc(1, sizeof(*object));

	object->dev = file->dev;
	object->ino = file->ino;
	object->path = path_without_mark(file->path);
	object->fd = fd;
	if (fd >= 0)
		elffile_read(object);
	bucket->objects = xgrow(bucket->objects, bucket->nr,
				sizeof(*bucket->objects));
	bucket->objects[bucket->nr++] = object;
	nr_objects++;
	return object;
}

static void forget_elf(struct object *object)
{
	free(object->build_id);
	free(object->interp);
	free(object->segments);
	object->build_id = NULL;
	object->interp = NULL;
	object->segments = NULL;
	object->nr_segments = 0;
	object->is_elf = false;
}

/* Memory that is no process's any more is read as empty. */
static bool is_gone(const struct mapped *file, const struct view *view)
{
	char byte;

	return view->mem < 0 || !pread(view->mem, &byte, 1, (off_t)file->start);
}

struct object *object_get(const struct mapped *file, const struct view *view)
{
	struct object *object = object_find(file->dev, file->ino);
	int fd;

	if (object && !object->missed)
		return object;
	fd = open_mapped(file, view);
	if (!object)
		object = make_object(file, fd);
	else if (fd >= 0)
		object_give(object, fd);
	if (object->fd < 0 && view->mem >= 0) {
		forget_elf(object);
		image_read(object, view->mem, file->head);
	}
	/* Another process may show the file as it is. */
	object->missed = object->fd < 0 && !object->memory &&
			 is_gone(file, view);
	return object->missed && view->pid > 0 ? NULL : object;
}

struct object *object_from_file(const char *path, int fd)
{
	struct mapped file = { .path = path };
	struct object *object;
	struct stat st;

	if (!fstat(fd, &st)) {
		file.dev = kernel_dev(st.st_dev);
		file.ino = st.st_ino;
	}
	object = object_find(file.dev, file.ino);
	if (!object || object->fd < 0)
		return make_object(&file, fd);
	close(fd);
	return object;
}

void object_give(struct object *object, int fd)
{
	forget_elf(object);
	object->fd = fd;
	object->missed = false;
	elffile_read(object);
}

struct object *object_from_memory(const char *path, int mem, uint64_t address,
				  size_t size)
{
	struct object *object = xcalloc(1, sizeof(*object));

	object->path = xstrdup(path);
	object->fd = -1;
	object->memory = xmalloc(size);
	if (pread(mem, object->memory, size, (off_t)address) == (ssize_t)size)
		object->size = size;
	elffile_read(object);
	return object;
}

void object_drop(struct object *object)
{
	forget_elf(object);
	free(object->path);
	free(object->memory);
	free(object);
}

bool objects_many(void)
{
	return nr_objects > MANY && nr_objects > 2 * nr_left;
}

void objects_forget(void (*tell)(void *arg, struct object *object), void *arg)
{
	struct bucket *bucket;
	size_t kept, i;

	for (bucket = buckets; bucket < buckets + NR_BUCKETS; bucket++) {
		kept = 0;
		for (i = 0; i < bucket->nr; i++) {
			struct object *object = bucket->objects[i];

			if (object->used || object->kept) {
				object->used = false;
				bucket->objects[kept++] = object;
				continue;
			}
			tell(arg, object);
			if (object->fd >= 0)
				close(object->fd);
			object_drop(object);
		}
		nr_objects -= bucket->nr - kept;
		bucket->nr = kept;
	}
	nr_left = nr_objects;
}

size_t object_read(const struct object *object, void *to, size_t size,
		   uint64_t offset)
{
	ssize_t ret;

	if (object->memory) {
		if (offset >= object->size || size > object->size - offset)
			return 0;
		memcpy(to, object->memory + offset, size);
		return size;
	}
	if (object->fd < 0 || offset > INT64_MAX)
		return 0;
	ret = pread(object->fd, to, size, (off_t)offset);
	return ret < 0 ? 0 : (size_t)ret;
}

struct segment *object_segment(const struct object *object, uint64_t offset)
{
	size_t i;

	for (i = 0; i < object->nr_segments; i++)
		if (offset - object->segments[i].offset <
		    object->segments[i].size)
			return &object->segments[i];
	return NULL;
}

struct segment *object_segment_at(const struct object *object, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < object->nr_segments; i++)
		if (vaddr - object->segments[i].vaddr <
		    object->segments[i].size)
			return &object->segments[i];
	return NULL;
}
