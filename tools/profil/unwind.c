// SPDX-License-Identifier: MIT
/*
 * The compiler of .eh_frame: all entries of an object become rows by address.
 *
 * A row is 3 bytes, because an object has many rows and few different rules.
 * The kernel finds one by the chunk of 256 bytes that it is in.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"
#include "cfa.h"
#include "hash.h"
#include "symbols.h"
#include "unwind.h"
#include "util.h"

#define CHUNK_BITS	8
#define GAP_MIN		64	/* bytes between functions that are none's */
#define RULES_MAX	65536
#define NR_SLOTS	(2ul * RULES_MAX)

struct row {
	uint32_t offset;
	uint16_t rule;
};

struct builder {
	const struct cfa_machine *machine;
	uint64_t base, size;	/* of the text */
	uint64_t end;		/* of the entries so far */
	struct row *rows;
	size_t nr_rows;
	struct profil_unwind_rule *rules;
	size_t nr_rules;
	uint32_t *slots;	/* index in rules + 1, by hash */
	uint64_t left;		/* steps of their programs */
	struct bare_sections sections;
	bool go;		/* text without an entry keeps frame pointers */
};

static const struct profil_unwind_rule no_rule = { .kind = PROFIL_RULE_NONE };
static const struct profil_unwind_rule frame_pointer = {
	.kind = PROFIL_RULE_BP, .cfa = 16, .bp = -16,
};

/* The first is "none", which stands in for rules that have no room. */
static uint16_t find_rule(struct builder *b,
			  const struct profil_unwind_rule *rule)
{
	uint64_t bits;
	size_t slot;

	memcpy(&bits, rule, sizeof(bits));
	slot = (hash_u64(hash_seed(), bits) >> 32) % NR_SLOTS;
	for (; b->slots[slot]; slot = (slot + 1) % NR_SLOTS)
		if (!memcmp(&b->rules[b->slots[slot] - 1], rule, sizeof(*rule)))
			return (uint16_t)(b->slots[slot] - 1);
	if (b->nr_rules == RULES_MAX)
		return 0;
	b->rules = xgrow(b->rules, b->nr_rules, sizeof(*rule));
	b->rules[b->nr_rules++] = *rule;
	b->slots[slot] = (uint32_t)b->nr_rules;
	return (uint16_t)(b->nr_rules - 1);
}

/* Entries that overlap: the later one begins where the earlier one ends. */
static void add_row(void *arg, uint64_t address,
		    const struct profil_unwind_rule *rule)
{
	struct builder *b = arg;
	uint16_t index = find_rule(b, rule);
	struct row *last = b->nr_rows ? &b->rows[b->nr_rows - 1] : NULL;
	uint64_t offset = address - b->base;

	if (last && offset < last->offset)
		offset = last->offset;
	if (last && offset == last->offset) {
		last->rule = index;
		if (b->nr_rows > 1 && last[-1].rule == index)
			b->nr_rows--;
		return;
	}
	if (last && last->rule == index)
		return;
	b->rows = xgrow(b->rows, b->nr_rows, sizeof(*b->rows));
	b->rows[b->nr_rows++] = (struct row){
		.offset = (uint32_t)offset, .rule = index,
	};
}

static bool is_in_text(const struct builder *b, const struct entry *entry)
{
	return entry->start >= b->base &&
	       entry->start - b->base < b->size &&
	       entry->end - b->base <= b->size;
}

static void add_code(struct builder *b, const struct bare_section *section,
		     uint64_t next)
{
	uint64_t from = b->end > section->start ? b->end : section->start;
	uint64_t to = section->start + section->size, end;

	if (to > next)
		to = next;
	if (from >= to || to > b->base + b->size || from < b->base)
		return;
	end = from + bare_code(section->code + (from - section->start),
			       to - from, from, add_row, b);
	if (end > from) {
		add_row(b, end, &no_rule);
		b->end = end;
	}
}

/* Bytes that align the next function go with the one before. */
static void add_gap(struct builder *b, uint64_t next)
{
	uint64_t end = b->end ? b->end : b->base;
	size_t i;

	if (b->go && next > end)
		add_row(b, end, &frame_pointer);
	else if (b->end && next > end && next - end >= GAP_MIN)
		add_row(b, end, &no_rule);
	for (i = 0; i < b->sections.nr; i++)
		add_code(b, &b->sections.list[i], next);
}

/*
 * Where a program begins there is no caller; a stub of a PLT has no frame; what
 * V8 generated keeps frame pointers.  Functions behind a trampoline may lack one.
 */
static void add_known(struct builder *b, const struct entry *entry)
{
	struct profil_unwind_rule rule = { .kind = PROFIL_RULE_END };

	if (entry->common == IS_GENERATED) {
		rule = frame_pointer;
	} else if (entry->common == IS_STUB && b->machine->elf == EM_X86_64) {
		rule.kind = PROFIL_RULE_SP;
		rule.cfa = 8;
	} else if (entry->common == IS_STUB) {
		rule.kind = PROFIL_RULE_SP | PROFIL_RULE_LR;
	} else if (entry->common == IS_TRAMPOLINE) {
		rule.kind = PROFIL_RULE_SIGNAL;
	}
	add_row(b, entry->start, &rule);
	if (entry->common == IS_TRAMPOLINE)
		add_row(b, entry->end, &no_rule);
}

static void add_entry(struct builder *b, const struct entries *entries,
		      const struct entry *entry)
{
	if (entry->end <= b->end)
		return;
	add_gap(b, entry->start);
	if (entry->program)
		cfa_run(b->machine, &entries->commons[entry->common], entry,
			add_row, b, &b->left);
	else
		add_known(b, entry);
	b->end = entry->end;
}

static int by_start(const void *one, const void *two)
{
	const struct entry *a = one, *b = two;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->program < b->program ? -1 : a->program > b->program;
}

static void add_entries(struct builder *b, struct entries *entries)
{
	size_t i;

	if (!entries->nr)
		return;
	qsort(entries->list, entries->nr, sizeof(*entries->list), by_start);
	for (i = 0; i < entries->nr; i++)
		if (is_in_text(b, &entries->list[i]))
			add_entry(b, entries, &entries->list[i]);
	add_gap(b, UINT64_MAX);
	if (b->go)
		b->end = b->base + b->size;
}

static void add_marks(const struct builder *b, struct unwind *unwind)
{
	uint32_t kind, end;
	size_t i;

	for (i = 0; i < b->nr_rows; i++) {
		kind = b->rules[b->rows[i].rule].kind & PROFIL_RULE_KIND;
		if (kind != PROFIL_RULE_END && kind != PROFIL_RULE_SIGNAL)
			continue;
		end = i + 1 < b->nr_rows ? b->rows[i + 1].offset :
		      (uint32_t)(b->end - b->base);
		unwind->marks = xgrow(unwind->marks, unwind->nr_marks,
				      sizeof(*unwind->marks));
		unwind->marks[unwind->nr_marks++] = (struct unwind_mark){
			.start = b->rows[i].offset, .end = end, .kind = kind,
		};
	}
}

uint32_t unwind_mark(const struct unwind *unwind, uint64_t vaddr)
{
	uint64_t offset = vaddr - unwind->base;
	size_t i;

	for (i = 0; i < unwind->nr_marks; i++)
		if (offset >= unwind->marks[i].start &&
		    offset < unwind->marks[i].end)
			return unwind->marks[i].kind;
	return 0;
}

static void pack_tables(const struct builder *b, struct unwind *unwind)
{
	struct profil_unwind_table *table;
	uint32_t *index, chunks, chunk = 0;
	uint64_t end;
	struct profil_unwind_rule *rules;
	uint16_t *row_rule;
	uint8_t *row_low;
	size_t i;

	end = b->end - b->base - 1;
	/* The row behind a trampoline. */
	if (b->rows[b->nr_rows - 1].offset > end)
		end = b->rows[b->nr_rows - 1].offset;
	chunks = (uint32_t)(end >> CHUNK_BITS) + 1;
	unwind->size = sizeof(*table) + (chunks + 1) * sizeof(*index) +
		       b->nr_rules * sizeof(*rules) +
		       b->nr_rows * (sizeof(*row_rule) + sizeof(*row_low));
	unwind->base = b->base;
	table = xcalloc(1, unwind->size);
	unwind->bytes = table;
	*table = (struct profil_unwind_table){
		.chunks = chunks, .rows = (uint32_t)b->nr_rows,
		.rules = (uint32_t)b->nr_rules, .machine = b->machine->elf,
	};
	index = (uint32_t *)(table + 1);
	rules = (struct profil_unwind_rule *)(index + chunks + 1);
	row_rule = (uint16_t *)(rules + b->nr_rules);
	row_low = (uint8_t *)(row_rule + b->nr_rows);
	memcpy(rules, b->rules, b->nr_rules * sizeof(*rules));
	for (i = 0; i < b->nr_rows; i++) {
		for (; chunk <= b->rows[i].offset >> CHUNK_BITS; chunk++)
			index[chunk] = (uint32_t)i;
		row_rule[i] = b->rows[i].rule;
		row_low[i] = (uint8_t)b->rows[i].offset;
	}
	for (; chunk <= chunks; chunk++)
		index[chunk] = (uint32_t)b->nr_rows;
}

static bool set_text(struct builder *b, const struct object *object)
{
	uint64_t low = UINT64_MAX, high = 0, end;
	size_t i;

	for (i = 0; i < object->nr_segments; i++) {
		end = object->segments[i].vaddr + object->segments[i].size;
		if (object->segments[i].vaddr < low)
			low = object->segments[i].vaddr;
		if (end > high)
			high = end;
	}
	b->base = low;
	b->size = high - low;
	return high > low && b->size <= UINT32_MAX;
}

/* A function has an entry in .debug_frame if .eh_frame has not. */
static void compile_tables(struct builder *b, Elf *elf,
			   const struct object *object)
{
	struct entries entries = { 0 };
	enum bare_go go;

	entries_read(&entries, elf, 8, true);
	entries_read(&entries, elf, 8, false);
	go = bare_go(&entries, elf);
	b->go = go == GO && b->machine->elf == EM_X86_64;
	if (go != NO_GO && !b->go)
		entries.nr = 0;
	if (go == NO_GO && b->machine->elf == EM_X86_64)
		bare_sections(&b->sections, elf);
	bare_texts(&entries, elf, object, &b->sections);
	add_entries(b, &entries);
	entries_free(&entries);
}

bool unwind_compile(struct unwind *unwind, const struct object *object)
{
	struct builder b = { .machine = cfa_machine_of(object->machine) };
	Elf *elf;

	*unwind = (struct unwind){ 0 };
	elf = b.machine && set_text(&b, object) ? symbols_open(object) : NULL;
	if (!elf)
		return false;
	b.slots = xcalloc(NR_SLOTS, sizeof(*b.slots));
	b.left = CFA_STEPS;
	find_rule(&b, &no_rule);
	compile_tables(&b, elf, object);
	elf_end(elf);
	if (b.nr_rows) {
		pack_tables(&b, unwind);
		add_marks(&b, unwind);
	}
	free(b.slots);
	free(b.rules);
	free(b.rows);
	return b.nr_rows;
}
