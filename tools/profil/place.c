// SPDX-License-Identifier: MIT
/*
 * A pc becomes an offset in a file.
 *
 * A process that ended too early for its maps to be read is known by the
 * kernel's record: the addresses of its executable and of its loader.  Its
 * libraries lie as far from the loader as in another process of the program.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "place.h"
#include "util.h"

#define OVERLAYFS_MAGIC	0x794c7630
#define BTRFS_MAGIC	0x9123683e

static void from_map(const struct map *map, uint64_t pc, struct place *place)
{
	*place = (struct place){ .object = map->object, .part = map->name };
	place->offset = pc - map->start + map->offset;
}

/* The program that joined itself was this one, until it executed another. */
static const struct map *map_before_exec(const struct process *p, uint64_t pc)
{
	static const struct maps_check no_check = { .path = "" };
	static struct maps own;
	struct view view = { .root = -1, .mem = -1, .pid = getpid() };
	size_t i;

	if (!p->told || p->about.phdr != getauxval(AT_PHDR) ||
	    p->about.base != getauxval(AT_BASE))
		return NULL;
	if (!own.nr) {
		view.mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
		maps_read(&own, &view, &no_check);
		for (i = 0; i < own.nr; i++)
			if (own.list[i].object)
				own.list[i].object->kept = true;
		if (view.mem >= 0)
			close(view.mem);
	}
	return maps_find(&own, pc);
}

/* False: its JIT is to tell of it. */
static bool place_jit(struct process *p, uint64_t pc, struct place *place)
{
	if (place->object && (place->object->fd >= 0 || place->object->memory))
		return true;
	place->function = jit_find(&p->jit, pc, p->when.since_ns,
				   p->when.until_ns);
	if (!p->jit_is_whole &&
	    jit_is_late(&p->jit, place->function, p->when.until_ns)) {
		p->nr_late++;
		return false;
	}
	if (place->function) {
		place->object = NULL;
		place->part = "[jit]";
	}
	return true;
}

bool place_find(struct process *p, uint64_t pc, struct place *place)
{
	const struct map *map = maps_find(&p->maps, pc);
	struct process *parent;

	if (!map) {
		parent = process_parent(p);
		map = parent ? maps_find(&parent->maps, pc) :
			       map_before_exec(p, pc);
	}
	if (!map)
		return false;
	from_map(map, pc, place);
	return place_jit(p, pc, place);
}

/* These show another device and inode to stat() than the kernel has. */
static bool shows_others(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (fs.f_type == OVERLAYFS_MAGIC ||
				     (uint32_t)fs.f_type == BTRFS_MAGIC);
}

static uint64_t bias_of(const struct process *p, const struct object *exe)
{
	return exe->fixed ? 0 : p->about.entry - exe->entry;
}

static bool fits_program(const struct process *p, const struct object *exe)
{
	return exe->is_elf && bias_of(p, exe) % 4096 == 0 &&
	       (!exe->fixed || p->about.entry == exe->entry);
}

static struct object *exe_of(const struct process *p)
{
	static const struct view own = { .root = -1, .mem = -1 };
	const struct mapped file = {
		.dev = p->about.dev, .ino = p->about.ino, .path = p->path,
	};
	struct object *object = object_find(file.dev, file.ino);
	int fd;

	if ((object && (object->sought || !object->missed)) ||
	    p->about.flags & PROFIL_IMAGE_F_PATH_CUT || p->path[0] != '/')
		return object;
	object = object_get(&file, &own);
	object->sought = true;
	if (object->fd >= 0)
		return object;
	fd = object_open(-1, p->path, 0);
	if (fd >= 0 && shows_others(fd))
		object_give(object, fd);
	else if (fd >= 0)
		close(fd);
	return object;
}

static bool place_in(struct object *object, uint64_t vaddr, struct place *place)
{
	const struct segment *segment = object_segment_at(object, vaddr);

	if (!segment)
		return false;
	*place = (struct place){ .object = object };
	place->offset = vaddr - segment->vaddr + segment->offset;
	return true;
}

static struct object *loader_of(const struct process *p,
				const struct object *exe)
{
	static struct object **loaders;
	static size_t nr;
	size_t i;
	int fd;

	if (!exe->interp || !p->about.base)
		return NULL;
	for (i = 0; i < nr; i++)
		if (!strcmp(loaders[i]->path, exe->interp))
			return loaders[i];
	fd = object_open(-1, exe->interp, 0);
	if (fd < 0)
		return NULL;
	loaders = xgrow(loaders, nr, sizeof(*loaders));
	loaders[nr] = object_from_file(exe->interp, fd);
	loaders[nr]->kept = true;
	return loaders[nr++];
}

/* What lies so far from the loader in others; all that know it must agree. */
static bool place_by_peers(const struct process *p, uint64_t pc,
			   const struct object *exe, struct place *place)
{
	const struct process *peer;
	const struct map *map;
	struct place other;
	bool found = false;
	size_t i;

	if (!p->about.base)
		return false;
	for (i = 0; (peer = process_peer(p, i)); i++) {
		map = maps_find(&peer->maps,
				pc - p->about.base + peer->about.base);
		/* The executable and the vdso are elsewhere in each. */
		if (!map || !map->object || map->object->memory ||
		    map->object == exe || !peer->about.base)
			continue;
		from_map(map, pc - p->about.base + peer->about.base, &other);
		if (found && (other.object != place->object ||
			      other.offset != place->offset))
			return false;
		*place = other;
		found = true;
	}
	return found;
}

bool place_find_ended(struct process *p, uint64_t pc, struct place *place)
{
	struct object *exe, *loader;

	if (!p->told)
		return false;
	exe = exe_of(p);
	if (!exe || !fits_program(p, exe))
		return false;
	if (place_in(exe, pc - bias_of(p, exe), place) ||
	    place_by_peers(p, pc, exe, place))
		return true;
	loader = loader_of(p, exe);
	return loader && place_in(loader, pc - p->about.base, place);
}
