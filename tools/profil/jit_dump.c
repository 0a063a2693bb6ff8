// SPDX-License-Identifier: MIT
/*
 * jitdump: records of functions with the times at which they were made or moved.
 *
 * The file is the program's, of any contents.  A record ends where its size says;
 * one that is not whole yet is read again later, and a size that can't be ends the
 * reading.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "jit.h"
#include "util.h"

#define MAGIC		0x4a695444	/* in the byte order of the machine */
#define VERSION		1
#define F_ARCH_TIME	1u		/* times are not of CLOCK_MONOTONIC */
#define NAME_MAX_SIZE	1024
#define RECORDS_AT_ONCE	200000

enum { CODE_LOAD, CODE_MOVE };

struct file_head {
	uint32_t magic, version, size, machine, reserved, pid;
	uint64_t time, flags;
};

struct record_head {
	uint32_t id, size;
	uint64_t time;
};

struct record_load {
	struct record_head head;
	uint32_t pid, tid;
	uint64_t vma, address, code_size, index;
	char name[NAME_MAX_SIZE];
};

struct record_move {
	struct record_head head;
	uint32_t pid, tid;
	uint64_t vma, from, to, code_size, index;
};

union record {
	struct record_head head;
	struct record_load load;
	struct record_move move;
};

#define LOAD_SIZE	offsetof(struct record_load, name)

static struct jit_named *named_of(const struct jit *jit, uint64_t index)
{
	size_t at = SIZE_MAX;
	uint64_t hash = hash_u64(hash_seed(), index), value;

	while (jit->by_index &&
	       (value = table_next(jit->by_index, hash, &at)))
		if (jit->named[value - 1].index == index)
			return &jit->named[value - 1];
	return NULL;
}

/* What a move names by its number. */
static void remember_name(struct jit *jit, uint64_t index, const char *name)
{
	struct jit_named *named = named_of(jit, index);

	if (named) {
		named->name = name;
		return;
	}
	if (!jit->by_index)
		jit->by_index = xcalloc(1, sizeof(*jit->by_index));
	jit->named = xgrow(jit->named, jit->nr_named, sizeof(*jit->named));
	jit->named[jit->nr_named++] = (struct jit_named){
		.index = index, .name = name,
	};
	table_add(jit->by_index, hash_u64(hash_seed(), index), jit->nr_named);
}

/* The record says its size, and got is how much of it is here. */
static void take_load(struct jit *jit, const struct record_load *load,
		      size_t got, int64_t time_ns)
{
	size_t size = load->head.size < got ? load->head.size : got;
	char *name;

	if (size <= LOAD_SIZE)
		return;
	size = strnlen(load->name, size - LOAD_SIZE);
	name = jit_text(jit, size + 1);
	memcpy(name, load->name, size);
	name[size] = '\0';
	remember_name(jit, load->index, name);
	jit_add(jit, &(struct jit_code){
		.start = load->address, .size = load->code_size,
		.time_ns = time_ns, .name = name,
	});
}

static void take_move(struct jit *jit, const struct record_move *move,
		      size_t got, int64_t time_ns)
{
	const struct jit_named *named;

	if (move->head.size < sizeof(*move) || got < sizeof(*move))
		return;
	named = named_of(jit, move->index);
	if (named)
		jit_add(jit, &(struct jit_code){
			.start = move->to, .size = move->code_size,
			.time_ns = time_ns, .name = named->name,
		});
}

/* False: there is no more for now. */
static bool read_record(struct jit *jit, int fd, int64_t size, int64_t now_ns)
{
	union record record = { .head.size = 0 };
	ssize_t got = pread(fd, &record, sizeof(record), jit->read_to);
	int64_t time_ns;

	if (got < (ssize_t)sizeof(record.head))
		return false;
	if (record.head.size < sizeof(record.head)) {
		jit->broken = true;
		return false;
	}
	if (record.head.size > size - jit->read_to)
		return false;
	jit->read_to += record.head.size;
	time_ns = jit->timed ? (int64_t)record.head.time : now_ns;
	if (time_ns > jit->told_ns)
		jit->told_ns = time_ns;
	if (record.head.id == CODE_LOAD)
		take_load(jit, &record.load, (size_t)got, time_ns);
	else if (record.head.id == CODE_MOVE)
		take_move(jit, &record.move, (size_t)got, time_ns);
	return !jit->broken;
}

static void read_head(struct jit *jit, int fd)
{
	struct file_head head;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return;
	if (head.magic != MAGIC || head.version != VERSION ||
	    head.size < sizeof(head)) {
		jit->broken = true;
		return;
	}
	jit->read_to = head.size;
	jit->timed = !(head.flags & F_ARCH_TIME);
}

void jit_read_dump(struct jit *jit, int fd, uid_t uid, int64_t now_ns)
{
	const size_t before = jit->nr;
	unsigned int nr = 0;
	struct stat st;

	if (!jit->is_dump) {
		jit_free(jit);
		jit->is_dump = true;
	}
	if (jit->broken || fstat(fd, &st) || st.st_uid != uid)
		return;
	if (!jit->read_to)
		read_head(jit, fd);
	while (jit->read_to && nr++ < RECORDS_AT_ONCE &&
	       read_record(jit, fd, st.st_size, now_ns))
		;
	if (jit->nr != before)
		jit_sort(jit);
}
