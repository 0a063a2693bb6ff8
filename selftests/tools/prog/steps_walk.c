// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's walk, by its own step and the tables that profil compiles of the
 * objects of the program.
 */
#include <elf.h>
#include <sys/uio.h>

#include "steps.h"

#define PROFIL_UNWIND_ARM64	0
#define PROFIL_UNWIND_READ(word, at, label)	\
do {						\
	u64 __word;				\
						\
	if (!steps_read(&__word, at))		\
		goto label;			\
	(word) = __word;			\
} while (0)

#include "observe/unwind/check.h"
#include "observe/unwind/step.h"

#include "tables.h"
#include "unwind.h"

/* The table of an object. */
struct compiled {
	const struct object *object;
	struct profil_unwind_view view;
	u64 base;
};

static struct compiled tables[256];
static size_t nr_tables;

bool steps_read(u64 *word, u64 at)
{
	struct iovec to = { word, sizeof(*word) };
	struct iovec from = { (void *)at, sizeof(*word) };

	return process_vm_readv(steps_child, &to, 1, &from, 1, 0) ==
	       sizeof(*word);
}

static const struct compiled *table_of(struct object *object)
{
	struct compiled *table = &tables[nr_tables];
	struct unwind unwind;
	size_t i;

	for (i = 0; i < nr_tables; i++)
		if (tables[i].object == object)
			return tables[i].view.chunks ? &tables[i] : NULL;
	nr_tables++;
	table->object = object;
	tables_compile(object);
	if (!unwind_compile(&unwind, object))
		return NULL;
	if (!profil_unwind_check(unwind.bytes, unwind.size, EM_X86_64,
				 &table->view)) {
		printf("# %s: the kernel refuses the table\n", object->path);
		exit(1);
	}
	table->base = unwind.base;
	return table;
}

/* As the kernel does it: 0, or how the path ends. */
static int step(struct profil_unwind_frame *frame, u64 shift)
{
	u64 pc = frame->pc - !frame->exact, vaddr;
	const struct map *map = maps_find(&steps_maps, pc);
	const struct profil_unwind_rule *rule;
	const struct segment *segment;
	const struct compiled *table;

	if (!map)
		return PROFIL_PATH_UNMAPPED;
	table = map->object ? table_of(map->object) : NULL;
	if (!table)
		return PROFIL_PATH_NO_TABLE;
	segment = object_segment(map->object, pc - map->start + map->offset);
	vaddr = pc - map->start + map->offset - segment->offset +
		segment->vaddr + shift;
	rule = profil_unwind_find(&table->view, vaddr - table->base);
	return rule ? profil_unwind_step(frame, rule) : PROFIL_PATH_NO_RULE;
}

int steps_walk(const struct user_regs_struct *regs, u64 shift,
	       struct path *path)
{
	struct profil_unwind_frame frame = {
		.pc = regs->rip, .sp = regs->rsp, .bp = regs->rbp,
		.exact = true, .limit = 0x7ffffffff000,
	};
	int end = 0;

	for (path->nr = 0; !end; end = step(&frame, shift)) {
		if (path->nr == FRAMES_MAX)
			return PROFIL_PATH_CUT;
		path->pc[path->nr++] = frame.pc;
	}
	/* A return address of 0 is where a coroutine began. */
	path->coroutine = path->nr > 1 && !path->pc[path->nr - 1];
	if (!path->coroutine)
		return end;
	path->nr--;
	return PROFIL_PATH_WHOLE;
}

void steps_print(const char *name, const struct path *path)
{
	unsigned int i;

	printf("#   %s:", name);
	for (i = 0; i < path->nr; i++)
		printf(" %#llx", (unsigned long long)path->pc[i]);
	putchar('\n');
}
