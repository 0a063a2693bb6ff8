// SPDX-License-Identifier: GPL-2.0-only
/*
 * The step of a call path: rules found as a linear search finds them, words
 * read where each kind says, and bad tables refused.
 */
#include <elf.h>

#include "kernel.h"

#define STACK	0x7000000000ULL
#define WORDS	128

static u64 stack[WORDS];

static bool read_stack(u64 *word, u64 at)
{
	if (at < STACK || at >= STACK + sizeof(stack))
		return false;
	*word = stack[(at - STACK) / sizeof(u64)];
	return true;
}

#define LIMIT	0x7ffffffff000
#define PROFIL_UNWIND_ARM64	0
#define PROFIL_UNWIND_READ(word, at, label)				\
do {									\
	if (!read_stack(&(word), at))					\
		goto label;						\
} while (0)

#include "observe/unwind/check.h"
#include "observe/unwind/step.h"

struct sizes {
	u32 chunks;
	u32 rows;
	u32 rules;
};

static size_t bytes_of(struct sizes s)
{
	return sizeof(struct profil_unwind_table) + (s.chunks + 1) * 4 +
	       s.rules * sizeof(struct profil_unwind_rule) + s.rows * 3;
}

/* Tables have no slack behind them, so that ASan sees each read outside. */
static struct profil_unwind_table *random_table(struct sizes *s)
{
	struct profil_unwind_table *table;
	struct profil_unwind_rule *rule;
	u32 chunk, row = 0, *index;
	u32 begin[9];
	u16 *row_rule;
	u8 *low;

	s->chunks = 1 + random64() % 8;
	s->rules = 1 + random64() % 9;
	for (chunk = 0; chunk < s->chunks; chunk++) {
		begin[chunk] = row;
		row += random64() % 3 ? random64() % 5 : 0;
	}
	begin[chunk] = row;
	s->rows = row;
	table = malloc(bytes_of(*s));
	*table = (struct profil_unwind_table) {
		.chunks = s->chunks,
		.rows = s->rows,
		.rules = s->rules,
		.machine = EM_X86_64,
	};
	index = (void *)(table + 1);
	memcpy(index, begin, (s->chunks + 1) * 4);
	rule = (void *)(index + s->chunks + 1);
	row_rule = (void *)(rule + s->rules);
	low = (void *)(row_rule + s->rows);
	for (row = 0; row < s->rules; row++)
		rule[row] = (struct profil_unwind_rule) {
			.cfa = row * 8,
			.bp = -16,
			.kind = random64() % (PROFIL_RULE_END + 1),
		};
	for (chunk = 0; chunk < s->chunks; chunk++)
		for (row = index[chunk]; row < index[chunk + 1]; row++) {
			row_rule[row] = random64() % s->rules;
			low[row] = (row - index[chunk]) * 50 + random64() % 50;
		}
	return table;
}

/* The last row that begins at or below the offset. */
static const struct profil_unwind_rule *
oracle(const struct profil_unwind_view *view, u64 offset)
{
	const struct profil_unwind_rule *rule = NULL;
	u32 chunk, row;

	if (offset >= view->chunks * 256ULL)
		return NULL;
	for (chunk = 0; chunk < view->chunks; chunk++)
		for (row = view->index[chunk]; row < view->index[chunk + 1]; row++)
			if (chunk * 256ULL + view->row_low[row] <= offset)
				rule = &view->rule[view->row_rule[row]];
	return rule;
}

static bool rules_are_found(void)
{
	struct profil_unwind_table *table;
	struct profil_unwind_view view;
	struct sizes s;
	u32 round;
	u64 at;

	for (round = 0; round < 2000; round++) {
		table = random_table(&s);
		if (!profil_unwind_check(table, bytes_of(s), EM_X86_64, &view))
			return false;
		for (at = 0; at < s.chunks * 256 + 300; at++)
			if (profil_unwind_find(&view, at) != oracle(&view, at))
				return false;
		if (profil_unwind_find(&view, UINT64_MAX - random64() % 300))
			return false;
		free(table);
	}
	return true;
}

static bool machine_and_size_are_checked(void)
{
	struct profil_unwind_view view;
	struct profil_unwind_table *table;
	struct sizes s;
	bool good;

	table = random_table(&s);
	good = profil_unwind_check(table, bytes_of(s), EM_X86_64, &view) &&
	       !profil_unwind_check(table, bytes_of(s), EM_AARCH64, &view) &&
	       !profil_unwind_check(table, bytes_of(s) - 1, EM_X86_64, &view) &&
	       !profil_unwind_check(table, bytes_of(s) + 1, EM_X86_64, &view) &&
	       !profil_unwind_check(table, 15, EM_X86_64, &view);
	table->rows = UINT32_MAX;
	good &= !profil_unwind_check(table, bytes_of(s), EM_X86_64, &view);
	table->rows = s.rows;
	table->chunks = UINT32_MAX;
	good &= !profil_unwind_check(table, bytes_of(s), EM_X86_64, &view);
	free(table);
	return good;
}

/* What a row or a rule may not be. */
static bool bad_parts_are_refused(void)
{
	struct {
		struct profil_unwind_table table;
		u32 index[3];
		struct profil_unwind_rule rule[2];
		u16 row_rule[4];
		u8 low[4];
	} good = {
		.table = { 2, 4, 2, EM_X86_64 },
		.index = { 0, 2, 4 },
		.rule = { { 8, 0, PROFIL_RULE_SP }, { -8, 0, PROFIL_RULE_AT_BP } },
		.row_rule = { 0, 1, 0, 1 },
		.low = { 0, 9, 4, 200 },
	}, bad[11];
	struct profil_unwind_view view;
	size_t i;

	for (i = 0; i < 11; i++)
		bad[i] = good;
	bad[0].index[0] = 1;
	bad[1].index[2] = 3;
	bad[2].index[1] = 5;
	bad[3].index[1] = UINT32_MAX;
	bad[4].row_rule[3] = 2;
	bad[5].low[1] = 0;
	bad[6].low[3] = 3;
	bad[7].rule[0].kind = PROFIL_RULE_END + 1;
	bad[8].rule[0].kind |= 1 << PROFIL_RULE_K_SHIFT;
	bad[9].rule[1].kind |= PROFIL_RULE_LR;
	bad[10].rule[1].kind |= 0x10;
	good.rule[1].kind |= 0xff << PROFIL_RULE_K_SHIFT | PROFIL_RULE_BP_AT_BP;
	for (i = 0; i < 11; i++)
		if (profil_unwind_check(&bad[i].table, sizeof(good), EM_X86_64,
					&view))
			return false;
	return sizeof(good) == 56 &&
	       profil_unwind_check(&good.table, sizeof(good), EM_X86_64, &view);
}

/* Whatever passes the check, no offset leads outside. */
static bool mutated_tables_stay_inside(void)
{
	struct profil_unwind_table *table;
	struct profil_unwind_view view;
	struct profil_unwind_frame frame = { .limit = LIMIT };
	const struct profil_unwind_rule *rule;
	u32 round, passed = 0, i;
	struct sizes s;
	u64 at;

	for (round = 0; round < 300000; round++) {
		table = random_table(&s);
		for (i = random64() % 4; i--;)
			((u8 *)table)[random64() % bytes_of(s)] ^=
				1 << random64() % 8;
		if (profil_unwind_check(table, bytes_of(s), EM_X86_64, &view)) {
			passed++;
			for (i = 0; i < 20; i++) {
				at = random64() % (s.chunks * 256 + 8);
				rule = profil_unwind_find(&view, at);
				frame.sp = STACK + random64() % 64 * 8;
				frame.bp = random64();
				frame.pc = at;
				if (rule &&
				    !profil_unwind_step(&frame, rule) &&
				    frame.sp > LIMIT)
					return false;
			}
		}
		free(table);
	}
	printf("# %u of %u tables passed\n", passed, round);
	return passed && passed < round;
}

static int step(struct profil_unwind_frame *frame, s32 cfa, s16 bp, u16 kind)
{
	struct profil_unwind_rule rule = { .cfa = cfa, .bp = bp, .kind = kind };

	return profil_unwind_step(frame, &rule);
}

/* Of a copy, because a step that fails leaves half a frame. */
static int end(struct profil_unwind_frame frame, s32 cfa, s16 bp, u16 kind)
{
	return step(&frame, cfa, bp, kind);
}

static struct profil_unwind_frame at(u32 sp, u32 bp)
{
	return (struct profil_unwind_frame) {
		.limit = LIMIT,
		.pc = 0x401000,
		.sp = STACK + sp * 8,
		.bp = STACK + bp * 8,
		.exact = true,
	};
}

/* Words are their own numbers, so that each tells where it was read. */
static bool is(const struct profil_unwind_frame *frame, u64 pc, u32 sp, u64 bp)
{
	return frame->pc == pc && frame->sp == STACK + sp * 8 &&
	       frame->bp == bp && !frame->exact;
}

static bool kinds_read_their_words(void)
{
	struct profil_unwind_frame f;
	u32 i;

	for (i = 0; i < WORDS; i++)
		stack[i] = i;
	f = at(10, 40);
	if (step(&f, 32, 0, PROFIL_RULE_SP) || !is(&f, 13, 14, STACK + 320))
		return false;
	f = at(10, 40);
	if (step(&f, 16, -16, PROFIL_RULE_BP) || !is(&f, 41, 42, 40))
		return false;
	/* After pop %rbp the slot is below sp. */
	f = at(10, 40);
	if (step(&f, 8, -16, PROFIL_RULE_SP) || !is(&f, 10, 11, 9))
		return false;
	stack[12] = STACK + 50 * 8;
	f = at(10, 40);
	if (step(&f, 16, 0, PROFIL_RULE_AT_SP | 0xfe00) ||
	    !is(&f, 47, 48, STACK + 320))
		return false;
	stack[39] = STACK + 50 * 8;
	f = at(10, 40);
	if (step(&f, -8, 0, PROFIL_RULE_AT_BP | PROFIL_RULE_BP_AT_BP) ||
	    !is(&f, 49, 50, 40))
		return false;
	f = at(10, 40);
	f.pc = 0x40100a;
	if (step(&f, 11, 0, PROFIL_RULE_PLT) || !is(&f, 10, 11, STACK + 320))
		return false;
	f = at(10, 40);
	f.pc = 0x40100b;
	return !step(&f, 11, 0, PROFIL_RULE_PLT) && is(&f, 11, 12, STACK + 320);
}

static bool signal_frame_gives_registers(void)
{
	struct profil_unwind_frame f = at(10, 40);

	stack[10 + PROFIL_SIGNAL_BP / 8] = 0x1234;
	stack[10 + PROFIL_SIGNAL_SP / 8] = STACK + 16;
	stack[10 + PROFIL_SIGNAL_PC / 8] = 0x5678;
	return !step(&f, 0, 0, PROFIL_RULE_SIGNAL) && f.exact &&
	       f.pc == 0x5678 && f.sp == STACK + 16 && f.bp == 0x1234;
}

static bool ends_are_told(void)
{
	struct profil_unwind_frame f = at(10, 40);
	u64 kernel = 0xffff888000000000;

	if (end(f, 0, 0, PROFIL_RULE_END) != PROFIL_PATH_WHOLE ||
	    end(f, 0, 0, PROFIL_RULE_NONE) != PROFIL_PATH_NO_RULE ||
	    end(f, 0, 0, PROFIL_RULE_SP) != PROFIL_PATH_WILD ||
	    end(f, -8, 0, PROFIL_RULE_SP) != PROFIL_PATH_WILD ||
	    end(f, 12, 0, PROFIL_RULE_SP) != PROFIL_PATH_WILD ||
	    end(f, 0x7ffffff8, 0, PROFIL_RULE_SP) != PROFIL_PATH_UNREADABLE)
		return false;
	f.bp = kernel;
	if (end(f, 16, -16, PROFIL_RULE_BP) != PROFIL_PATH_WILD ||
	    end(f, -8, 0, PROFIL_RULE_AT_BP) != PROFIL_PATH_WILD)
		return false;
	f.bp = -8ULL;
	if (end(f, 16, -16, PROFIL_RULE_BP) != PROFIL_PATH_WILD)
		return false;
	f = at(10, 40);
	stack[10 + PROFIL_SIGNAL_SP / 8] = kernel;
	return end(f, 0, 0, PROFIL_RULE_SIGNAL) == PROFIL_PATH_WILD;
}

static u64 random_place(void)
{
	static const u64 near[] = { 0, STACK, STACK + sizeof(stack), LIMIT };

	if (random64() % 4)
		return STACK + random64() % WORDS * 8;
	return near[random64() % 4] + random64() % 64 - 32;
}

/* profil_unwind_step_bp() takes the step of this rule with fewer checks. */
static bool frame_pointer_is_as_its_rule(void)
{
	struct profil_unwind_frame by_rule, by_bp;
	u32 i, ended[PROFIL_PATH_NO_ROOM + 1] = { 0 };
	int end;

	for (i = 0; i < WORDS; i++)
		stack[i] = random64();
	for (i = 0; i < 1000000; i++) {
		by_rule = at(0, 0);
		by_rule.sp = STACK + random64() % WORDS * 8;
		by_rule.bp = random_place();
		by_bp = by_rule;
		end = step(&by_rule, 16, -16, PROFIL_RULE_BP);
		if (!by_bp.bp)
			end = PROFIL_PATH_WHOLE;
		ended[end]++;
		if (profil_unwind_step_bp(&by_bp) != end ||
		    (!end && memcmp(&by_bp, &by_rule, sizeof(by_bp)) != 0))
			return false;
	}
	return ended[0] > 1000 && ended[PROFIL_PATH_WHOLE] > 100 &&
	       ended[PROFIL_PATH_WILD] > 1000 &&
	       ended[PROFIL_PATH_UNREADABLE] > 1000;
}

int main(void)
{
	printf("KTAP version 1\n");
	report("unwind.rules_are_found", rules_are_found());
	report("unwind.machine_and_size_are_checked",
	       machine_and_size_are_checked());
	report("unwind.bad_parts_are_refused", bad_parts_are_refused());
	report("unwind.mutated_tables_stay_inside",
	       mutated_tables_stay_inside());
	report("unwind.kinds_read_their_words", kinds_read_their_words());
	report("unwind.frame_pointer_is_as_its_rule",
	       frame_pointer_is_as_its_rule());
	report("unwind.signal_frame_gives_registers",
	       signal_frame_gives_registers());
	report("unwind.ends_are_told", ends_are_told());
	return finish();
}
