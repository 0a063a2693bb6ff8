// SPDX-License-Identifier: MIT
/*
 * A place becomes a location of the model, a sample gets its labels.
 *
 * A thread that is in the kernel stands at the instruction that took it there.
 * If that was a system call the one before it says so; else it was a fault or
 * an interrupt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribute.h"
#include "symbols.h"
#include "syscalls.h"
#include "threads.h"
#include "util.h"

#define MAX_LABELS	6

/* How the kernel was entered there; by location. */
enum entry { NOT_LOOKED, NOT_READABLE, BY_SYSCALL, BY_FAULT };

static struct entered {
	enum entry entry;
	int number;		/* of the system call, or -1 */
} *entered;
static uint32_t nr_entered;

static struct object **objects;		/* by mapping */
static uint32_t nr_objects;

static void remember_object(uint32_t mapping, struct object *object)
{
	while (nr_objects <= mapping) {
		objects = xgrow(objects, nr_objects, sizeof(*objects));
		objects[nr_objects++] = NULL;
	}
	if (!objects[mapping] || objects[mapping]->fd < 0)
		objects[mapping] = object;
}

static uint32_t object_location(struct model *m, struct object *object,
				uint64_t offset)
{
	struct segment *segment = object_segment(object, offset);
	struct mapping mapping = {
		.path = object->path,
		.build_id = object->build_id,
	};
	uint32_t id;

	if (!segment) {
		id = model_mapping(m, &mapping);
		return model_location(m, id, offset);
	}
	if (!segment->mapping) {
		mapping.start = segment->vaddr;
		mapping.limit = segment->vaddr + segment->size;
		mapping.offset = segment->offset;
		segment->mapping = model_mapping(m, &mapping);
		remember_object(segment->mapping, object);
	}
	return model_location(m, segment->mapping,
			      offset - segment->offset + segment->vaddr);
}

static void set_function(struct model *m, uint32_t location,
			 const struct function *function)
{
	const struct line line = { .function = model_function(m, function) };

	model_set_lines(m, location, &line, 1);
}

/* What is in no file has no addresses that outlive its process. */
static uint32_t other_location(struct model *m, const struct place *place)
{
	const char *name = place->function ? place->function : place->part;
	const struct mapping mapping = { .path = place->part };
	const struct function function = { .name = name };
	uint32_t id = model_function(m, &function);
	uint32_t location = model_location(m, model_mapping(m, &mapping), id);

	if (!m->locations[location].nr_lines)
		set_function(m, location, &function);
	return location;
}

static struct entered look(const struct process *p, uint64_t pc,
			   const struct place *place)
{
	struct entered result = { .entry = BY_FAULT, .number = -1 };
	unsigned char code[7];
	int32_t number;
	bool there;

	if (place->object)
		there = place->offset >= sizeof(code) &&
			object_read(place->object, code, sizeof(code),
				    place->offset - sizeof(code)) ==
			sizeof(code);
	else
		there = p->view.mem >= 0 &&
			pread(p->view.mem, code, sizeof(code),
			      (off_t)(pc - sizeof(code))) == sizeof(code);
	if (!there)
		return (struct entered){ .entry = NOT_READABLE, .number = -1 };
	if (!(code[5] == 0x0f && (code[6] == 0x05 || code[6] == 0x34)) &&
	    !(code[5] == 0xcd && code[6] == 0x80))
		return result;
	result.entry = BY_SYSCALL;
	/* mov $number,%eax directly before syscall */
	if (code[0] == 0xb8 && code[5] == 0x0f && code[6] == 0x05) {
		memcpy(&number, code + 1, sizeof(number));
		result.number = number;
	}
	return result;
}

static struct entered entered_at(const struct process *p, uint32_t location,
				 uint64_t pc, const struct place *place)
{
	/* Such a location is many pcs. */
	if (!place->object)
		return look(p, pc, place);
	while (nr_entered <= location) {
		entered = xgrow(entered, nr_entered, sizeof(*entered));
		entered[nr_entered++] = (struct entered){ NOT_LOOKED, -1 };
	}
	if (entered[location].entry == NOT_LOOKED)
		entered[location] = look(p, pc, place);
	return entered[location];
}

/* The whole name of the executable, where comm is the beginning of it. */
static const char *program_of(const struct process *p, char comm[16])
{
	const char *slash = p->path ? strrchr(p->path, '/') : NULL;

	memcpy(comm, p->about.comm, 16);
	comm[15] = '\0';
	if (slash && strlen(comm) == 15 && !strncmp(slash + 1, comm, 15))
		return slash + 1;
	return comm;
}

static size_t kernel_labels(struct model *m, struct label *labels,
			    struct entered how)
{
	size_t nr = 0;

	if (how.entry == NOT_READABLE)
		return 0;
	labels[nr++] = (struct label){
		.key = LABEL_KIND,
		.str = how.entry == BY_SYSCALL ? KIND_SYSCALL : KIND_FAULT,
	};
	if (how.number >= 0)
		labels[nr++] = (struct label){
			.key = LABEL_SYSCALL,
			.str = syscall_name(m, how.number),
		};
	return nr;
}

void attribute_sample(struct model *m, const struct process *p,
		      const struct pending *sample, const struct place *place)
{
	const struct thread *thread = threads_find(sample->thread);
	uint64_t pc = sample->pc & ~PROFIL_NODE_KERNEL;
	struct label labels[MAX_LABELS];
	uint32_t location;
	char comm[16];
	size_t nr = 0;

	location = place->object ?
		   object_location(m, place->object, place->offset) :
		   other_location(m, place);
	labels[nr++] = (struct label){ .key = LABEL_PROGRAM,
				       .str = program_of(p, comm) };
	labels[nr++] = (struct label){ .key = LABEL_PID,
				       .num = p->about.pid };
	if (thread) {
		labels[nr++] = (struct label){ .key = LABEL_THREAD,
					       .str = thread->comm };
		labels[nr++] = (struct label){ .key = LABEL_TID,
					       .num = thread->tid };
	}
	if (sample->pc & PROFIL_NODE_KERNEL)
		nr += kernel_labels(m, labels + nr,
				    entered_at(p, location, pc, place));
	else
		labels[nr++] = (struct label){ .key = LABEL_KIND,
					       .str = KIND_USER };
	model_sample(m, &location, 1, labels, nr, sample->count,
		     sample->count * (1000000000ull / m->rate));
}

/* Locations with the object that has them. */
struct located {
	struct object *object;
	uint32_t location;
};

static int by_object(const void *one, const void *two)
{
	const struct located *a = one, *b = two;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->location < b->location ? -1 : 1;
}

static void name_location(struct model *m, uint32_t location,
			  const struct names *names)
{
	struct function function = { 0 };
	char *raw, *readable;
	struct name name;

	if (!names_find(names, m->locations[location].address, &name))
		return;
	if (name.has_plus) {
		raw = xasprintf("%s+%#llx%s", name.raw,
				(unsigned long long)name.plus, name.suffix);
		readable = xstrdup(raw);
	} else {
		raw = xasprintf("%s%s", name.raw, name.suffix);
		readable = xasprintf("%s%s", names_readable(name.raw),
				     name.suffix);
	}
	function.name = readable;
	function.system_name = raw;
	set_function(m, location, &function);
	free(raw);
	free(readable);
}

void attribute_names(struct model *m)
{
	struct located *list = NULL;
	struct names *names = NULL;
	struct object *object;
	size_t nr = 0, i;
	uint32_t id;

	for (id = 1; id <= m->nr_locations; id++) {
		uint32_t mapping = m->locations[id].mapping;

		object = mapping < nr_objects ? objects[mapping] : NULL;
		if (!object)
			continue;
		list = xgrow(list, nr, sizeof(*list));
		list[nr++] = (struct located){ .object = object,
					       .location = id };
	}
	if (nr)
		qsort(list, nr, sizeof(*list), by_object);
	object = NULL;
	for (i = 0; i < nr; i++) {
		if (list[i].object != object) {
			if (names)
				names_free(names);
			object = list[i].object;
			names = names_read(object);
		}
		if (names)
			name_location(m, list[i].location, names);
	}
	if (names)
		names_free(names);
	free(list);
}
