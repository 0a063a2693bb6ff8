// SPDX-License-Identifier: MIT
/* Where a process tells of functions that it made itself: a dump or a map. */
#include <string.h>

#include "object.h"
#include "process.h"

/* A program maps its jitdump, so that others find it. */
static const struct object *dump_of(const struct process *p)
{
	static const char begin[] = "jit-", end[] = ".dump";
	const struct object *object;
	const char *name;
	size_t i;

	for (i = 0; i < p->maps.nr; i++) {
		object = p->maps.list[i].object;
		if (!object || object->is_elf)
			continue;
		name = strrchr(object->path, '/');
		name = name ? name + 1 : object->path;
		if (!strncmp(name, begin, strlen(begin)) &&
		    strlen(name) > strlen(end) &&
		    !strcmp(name + strlen(name) - strlen(end), end))
			return object;
	}
	return NULL;
}

/*
 * An empty dump has no head by which a file of overlayfs is known.  Any file of the
 * user's will do, because what a dump says is the program's word anyway.
 */
static int fd_of_dump(struct process *p, const struct object *dump)
{
	if (!p->jit.is_dump) {
		jit_free(&p->jit);
		p->jit.is_dump = true;
	}
	if (dump->fd < 0 && p->jit.fd < 0)
		p->jit.fd = object_open(p->view.root, dump->path, 0);
	return dump->fd < 0 ? p->jit.fd : dump->fd;
}

void process_read_jit(struct process *p)
{
	const struct object *dump;

	if (p->ended || !p->has_maps || !p->may_have_jit)
		return;
	dump = dump_of(p);
	if (dump)
		jit_read_dump(&p->jit, fd_of_dump(p, dump), p->uid, now_ns());
	else
		jit_read_map(&p->jit, p->view.root, p->about.inner_pid, p->uid,
			     now_ns());
}
