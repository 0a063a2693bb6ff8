// SPDX-License-Identifier: MIT
/*
 * A place becomes a location of the model, a sample gets its labels.
 *
 * A thread that is in the kernel stands at the instruction that took it there.
 * If that was a system call the one before it says so; else it was a fault or
 * an interrupt.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribute.h"
#include "entry.h"
#include "path.h"
#include "naming.h"
#include "syscalls.h"
#include "threads.h"
#include "util.h"

#define MAX_LABELS	7

/* Of text that is in no file. */
#ifdef __aarch64__
#define OWN_MACHINE	EM_AARCH64
#else
#define OWN_MACHINE	EM_X86_64
#endif

/* How the kernel was entered there; by location. */
enum entry { NOT_LOOKED, NOT_READABLE, BY_SYSCALL, BY_FAULT };

static struct entered {
	enum entry entry;
	int number;		/* of the system call, or -1 */
} *entered;
static uint32_t nr_entered;

static struct object **objects;		/* by mapping */
static uint32_t nr_objects;

static uint32_t generation = 1;		/* of the model */

/* What nearly each sample has, as the model keeps it. */
static struct {
	uint32_t generation;
	const char *program, *pid, *thread, *tid, *kind, *user;
} texts;

static void take_texts(struct model *m)
{
	if (texts.generation == generation)
		return;
	texts.generation = generation;
	texts.program = model_string(m, LABEL_PROGRAM);
	texts.pid = model_string(m, LABEL_PID);
	texts.thread = model_string(m, LABEL_THREAD);
	texts.tid = model_string(m, LABEL_TID);
	texts.kind = model_string(m, LABEL_KIND);
	texts.user = model_string(m, KIND_USER);
}

struct object *attribute_object(uint32_t mapping)
{
	return mapping < nr_objects ? objects[mapping] : NULL;
}

void attribute_forget(void)
{
	free(entered);
	free(objects);
	entered = NULL;
	objects = NULL;
	nr_entered = 0;
	nr_objects = 0;
	generation++;
}

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
	if (segment->generation != generation) {
		mapping.start = segment->vaddr;
		mapping.limit = segment->vaddr + segment->size;
		mapping.offset = segment->offset;
		segment->mapping = model_mapping(m, &mapping);
		segment->generation = generation;
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

/* The bytes before the pc, ENTRY_CODE or less; returns how many. */
static size_t read_before(const struct process *p, uint64_t pc,
			  const struct place *place, unsigned char *code)
{
	uint64_t from = place->object ? place->offset : pc;
	size_t n = from < ENTRY_CODE ? from : ENTRY_CODE;
	ssize_t got = -1;

	/* Fewer at the beginning of what is mapped. */
	for (; n; n /= 2) {
		if (place->object)
			got = object_read(place->object, code, n, from - n);
		else if (p->view.mem >= 0)
			got = pread(p->view.mem, code, n, (off_t)(from - n));
		if (got == (ssize_t)n)
			break;
	}
	return n;
}

static struct entered look_up(const struct process *p, uint64_t pc,
			      const struct place *place)
{
	struct entered result = { .entry = BY_FAULT, .number = -1 };
	unsigned char code[ENTRY_CODE];
	size_t n = read_before(p, pc, place, code);
	uint16_t machine = place->object ? place->object->machine : OWN_MACHINE;

	if (!n)
		result.entry = NOT_READABLE;
	else if (entry_is_syscall(machine, code, n))
		result = (struct entered){ BY_SYSCALL,
					   entry_number(machine, code, n) };
	return result;
}

static struct entered entered_at(const struct process *p, uint32_t location,
				 uint64_t pc, const struct place *place)
{
	/* Such a location is many pcs. */
	if (!place->object)
		return look_up(p, pc, place);
	while (nr_entered <= location) {
		entered = xgrow(entered, nr_entered, sizeof(*entered));
		entered[nr_entered++] = (struct entered){ NOT_LOOKED, -1 };
	}
	if (entered[location].entry == NOT_LOOKED)
		entered[location] = look_up(p, pc, place);
	return entered[location];
}

/* The whole name of the executable, where comm is the beginning of it. */
static const char *program_of(const struct process *p, char comm[16])
{
	const char *slash;

	memcpy(comm, p->about.comm, 16);
	comm[15] = '\0';
	if (strlen(comm) < 15 || !p->path)
		return comm;
	slash = strrchr(p->path, '/');
	return slash && !strncmp(slash + 1, comm, 15) ? slash + 1 : comm;
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

static uint32_t location_of(struct model *m, const struct place *place)
{
	return place->object ?
	       object_location(m, place->object, place->offset) :
	       other_location(m, place);
}

void attribute_sample(struct model *m, const struct process *p,
		      const struct pending *sample, struct placed *placed,
		      size_t nr_places)
{
	struct callee *innermost = placed->list + sample->nr - 1;
	const struct thread *thread = threads_find(sample->thread, p->number);
	const char *cgroup = process_cgroup(p);
	uint64_t pc = sample->pcs[0] & ~PROFIL_NODE_KERNEL;
	uint32_t locations[DEPTH_MAX];
	struct label labels[MAX_LABELS];
	size_t nr = 0, i;
	char comm[16];

	for (i = 0; i < nr_places; i++) {
		if (sample->nr - i > placed->same)
			innermost[-i].location =
				location_of(m, &innermost[-i].place);
		locations[i] = innermost[-i].location;
	}
	take_texts(m);
	labels[nr++] = (struct label){ .key = texts.program,
				       .str = program_of(p, comm) };
	labels[nr++] = (struct label){ .key = texts.pid,
				       .num = p->about.pid };
	if (thread) {
		labels[nr++] = (struct label){ .key = texts.thread,
					       .str = thread->comm };
		labels[nr++] = (struct label){ .key = texts.tid,
					       .num = thread->tid };
	}
	if (cgroup)
		labels[nr++] = (struct label){ .key = LABEL_CGROUP,
					       .str = cgroup };
	if (sample->pcs[0] & PROFIL_NODE_KERNEL)
		nr += kernel_labels(m, labels + nr,
				    entered_at(p, innermost->location, pc,
					       &innermost->place));
	else
		labels[nr++] = (struct label){ .key = texts.kind,
					       .str = texts.user };
	model_path(m, locations, nr_places, (enum path_end)sample->end, labels,
		   nr, sample->count,
		   sample->count * (1000000000ull / m->rate));
}

/* One that did less is left out, unless it has a sample. */
#define LEAST_NS	1000000

static void add_thread(void *arg, const struct thread *thread,
		       const struct thread_usage *used)
{
	const struct process *p = process_find(thread->image);
	struct model *m = arg;
	char comm[16];

	if (!p || !p->told ||
	    (!thread->sampled && used->cpu_ns + used->wait_ns < LEAST_NS))
		return;
	model_thread(m, &(struct thread_time){
		.pid = p->about.pid, .tid = thread->tid,
		.name = thread->comm, .program = program_of(p, comm),
		.cpu_ns = used->cpu_ns, .wait_ns = used->wait_ns,
		.read_ns = used->read_ns,
	});
}

void attribute_threads(struct model *m)
{
	threads_sum(add_thread, m);
}

/* Locations with the object that has them. */
struct located {
	struct object *object;
	uint64_t address;
	uint32_t location;
};

static int by_object(const void *one, const void *two)
{
	const struct located *a = one, *b = two;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Names the locations of one object, which are in order of addresses. */
static void name_located(struct model *m, const struct located *list, size_t nr)
{
	uint64_t *asked = xcalloc(nr, sizeof(*asked));
	struct names *names;
	size_t i;

	for (i = 0; i < nr; i++)
		asked[i] = list[i].address;
	names = names_read_near(list->object, asked, nr);
	for (i = 0; names && i < nr; i++)
		naming_set(m, list[i].location, list[i].address, names);
	if (names)
		names_free(names);
	free(asked);
}

void attribute_names(struct model *m)
{
	struct located *list = NULL;
	struct object *object;
	size_t nr = 0, from, to;
	uint32_t id;

	for (id = 1; id <= m->nr_locations; id++) {
		object = attribute_object(m->locations[id].mapping);
		if (!object)
			continue;
		list = xgrow(list, nr, sizeof(*list));
		list[nr++] = (struct located){
			.object = object, .location = id,
			.address = m->locations[id].address,
		};
	}
	if (nr)
		qsort(list, nr, sizeof(*list), by_object);
	for (from = 0; from < nr; from = to) {
		for (to = from; to < nr && list[to].object == list[from].object;)
			to++;
		name_located(m, list + from, to - from);
	}
	free(list);
}
