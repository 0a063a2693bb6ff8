// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a sample's call path: a recursion of known depth.
 *
 *	paths HOW DEPTH kept|new TICKS
 *
 *	HOW	none	 without an observer
 *		pcs	 samples are single pcs
 *		tables	 paths are walked by unwind tables
 *		pointers paths are walked by frame pointers
 *
 * With new, the recursion begins elsewhere on the stack each time, so that a
 * sample meets no frame of the one before.  With kept, it is so seldom that nearly
 * all samples have the path of the one before.  Prints the instructions taken, the
 * samples, and how many of the samples have no whole path.
 */
#include <elf.h>
#include <unistd.h>

#include "observer.h"

/*
 * deep_top(DEPTH, ROUNDS, FUNCTION, BYTES) leaves bytes of stack free, and calls
 * a function which calls itself to a depth, and there the other in rounds.
 */
asm(".pushsection deep, \"ax\", @progbits\n"
    ".balign 256\n"
    "deep_begin:\n"
    "deep_self: push %rbp\n"
    "deep_pushed: mov %rsp, %rbp\n"
    "dec %rdi\n"
    "jz deep_rounds\n"
    "call deep_self\n"
    "pop %rbp\n"
    "deep_popped: ret\n"
    "deep_rounds: call *%rdx\n"
    "dec %rsi\n"
    "jnz deep_rounds\n"
    "pop %rbp\n"
    "deep_ends: ret\n"
    "deep_top: push %rbp\n"
    "push %rbx\n"
    "mov %rsp, %rbx\n"
    "sub %rcx, %rsp\n"
    "xor %ebp, %ebp\n"
    "call deep_self\n"
    "mov %rbx, %rsp\n"
    "pop %rbx\n"
    "pop %rbp\n"
    "ret\n"
    "deep_end:\n"
    ".popsection\n");

extern char deep_begin[], deep_pushed[], deep_popped[], deep_rounds[],
	deep_ends[], deep_top[], deep_end[];

/* What a compiler's tables say where it uses no frame pointer. */
static const struct row {
	const char *at;
	struct profil_unwind_rule rule;
} rows[] = {
	{ deep_begin, { 8, 0, PROFIL_RULE_SP } },
	{ deep_pushed, { 16, -16, PROFIL_RULE_SP } },
	{ deep_popped, { 8, 0, PROFIL_RULE_SP } },
	{ deep_rounds, { 16, -16, PROFIL_RULE_SP } },
	{ deep_ends, { 8, 0, PROFIL_RULE_SP } },
	{ deep_top, { 0, 0, PROFIL_RULE_END } },
};

#define ROWS	((uint32_t)ARRAY_SIZE(rows))

/* Of text below 256 bytes, which is a chunk. */
struct deep_table {
	struct profil_unwind_table head;
	uint32_t index[2];
	struct profil_unwind_rule rule[ROWS];
	uint16_t row_rule[ROWS];
	uint8_t row_low[ROWS];
} __attribute__((packed));

/* The unwind table of work_text: each function has one row. */
struct work_table {
	struct profil_unwind_table head;
	uint32_t index[TEXT / 256 + 1];
	struct profil_unwind_rule rule;
	uint16_t row_rule;
	uint8_t row_low;
} __attribute__((packed));

static struct observer observer;
static uint64_t not_whole;

static void unwind(struct profil_unwind *unwind, const void *addr,
		   uint64_t bytes)
{
	unwind->size = sizeof(*unwind);
	unwind->addr = (uintptr_t)addr;
	unwind->bytes = bytes;
	if (ioctl(observer.fd, PROFIL_IOC_UNWIND, unwind))
		die("unwind");
}

static uint32_t object_of(const void *table, uint64_t bytes)
{
	struct profil_unwind object = { .op = PROFIL_UNWIND_OBJECT };

	unwind(&object, table, bytes);
	return object.id;
}

static uint32_t deep_object(void)
{
	struct deep_table table = {
		.head = { 1, ROWS, ROWS, EM_X86_64 },
		.index = { 0, ROWS },
	};
	uint32_t i;

	for (i = 0; i < ROWS; i++) {
		table.rule[i] = rows[i].rule;
		table.row_rule[i] = i;
		table.row_low[i] = rows[i].at - deep_begin;
	}
	return object_of(&table, sizeof(table));
}

static uint32_t work_object(void)
{
	struct work_table table = {
		.head = { TEXT / 256, 1, 1, EM_X86_64 },
		.rule = { 8, 0, PROFIL_RULE_SP },
	};
	uint32_t i;

	for (i = 1; i <= TEXT / 256; i++)
		table.index[i] = 1;
	return object_of(&table, sizeof(table));
}

static void set_maps(uint32_t deep, uint32_t work)
{
	struct profil_unwind_map maps[2] = {
		{ .start = (uintptr_t)deep_begin, .length = deep_end - deep_begin,
		  .object = deep },
		{ .start = (uintptr_t)work_text, .length = TEXT,
		  .object = work },
	}, low = maps[0];
	struct profil_unwind args = {
		.op = PROFIL_UNWIND_MAPS,
		.image = 1,
		.fd = open("/proc/self/mem", O_RDONLY),
	};

	if (maps[0].start > maps[1].start) {
		maps[0] = maps[1];
		maps[1] = low;
	}
	unwind(&args, maps, sizeof(maps));
}

/* So much work, whatever interrupts it: rounds of it, and some for the frames. */
static void run(unsigned long depth, int anew, uint64_t ticks)
{
	void (*top)(unsigned long depth, unsigned long rounds,
		    const char *function, unsigned long bytes) =
		(void *)deep_top;
	unsigned long rounds = anew ? 4 : 400;
	uint64_t times = ticks * TICK /
		(rounds * work_cost(NR_FUNCTIONS - 1) + 9 * depth);
	uint64_t i;

	for (i = 0; i < times; i++)
		top(depth, rounds, work_text + (NR_FUNCTIONS - 1) * SLOT,
		    anew ? i % 1024 * 16 : 0);
}

static void see_path(void *data, const struct profil_node *nodes, uint32_t i)
{
	uint32_t at = i, last = i;

	(void)data;
	while (!(nodes[at].from & PROFIL_NODE_IMAGE)) {
		last = at;
		at = nodes[at].from;
	}
	if (last == i || nodes[at].pc != PROFIL_PATH_WHOLE)
		not_whole += nodes[i].count;
}

static void start(const char *how)
{
	int paths = strcmp(how, "pcs");

	observer_open(&observer, 1000, paths ? 255 : 1);
	observer_join(&observer);
	/* Its first sample makes the image. */
	run(1, 0, 10);
	if (!strcmp(how, "tables"))
		set_maps(deep_object(), work_object());
	else if (paths)
		set_maps(PROFIL_UNWIND_FRAME_POINTERS,
			 PROFIL_UNWIND_FRAME_POINTERS);
	observer_swap(&observer);
	memset(&observer.sum, 0, sizeof(observer.sum));
}

int main(int argc, char **argv)
{
	uint64_t then, end, ticks;
	unsigned long depth;
	int anew, none;

	if (argc != 5) {
		fputs("usage: paths HOW DEPTH kept|new TICKS\n", stderr);
		return 2;
	}
	none = !strcmp(argv[1], "none");
	depth = strtoul(argv[2], NULL, 0);
	anew = !strcmp(argv[3], "new");
	ticks = strtoul(argv[4], NULL, 0);
	if (!none)
		start(argv[1]);
	then = now();
	run(depth, anew, ticks);
	end = now();
	if (!none)
		observer_read(&observer, see_path, NULL);
	printf("%lu %llu %lu\n", end - then, observer.sum.counted, not_whole);
	return 0;
}
