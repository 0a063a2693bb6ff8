// SPDX-License-Identifier: MIT
/*
 * The rows of functions without an entry, by their instructions (x86-64).
 *
 * Each instruction has one state of the stack, whichever way leads there, and at
 * each return the stack is as at the beginning.  Where that does not hold, or an
 * instruction is not known, neither the function nor what follows it has rows.
 */
#include <string.h>

#include "bare.h"
#include "insn.h"

#define CODE_MAX	512	/* bytes; what a linker adds takes 200 */
#define DEPTH_MAX	4096

/* Where the CFA is from sp, and where the caller's bp is from the CFA, or 0. */
struct stack {
	int16_t depth, bp;
};

struct sweep {
	const unsigned char *code;
	size_t n;
	struct stack *at;		/* n of them; depth 0: not known */
	size_t begin;			/* of the function */
	size_t next;			/* instruction */
	struct stack now;
	bool over;			/* nothing goes on here */
};

static const struct stack at_begin = { .depth = 8 };

static bool is_same(const struct stack *a, const struct stack *b)
{
	return a->depth == b->depth && a->bp == b->bp;
}

static bool is_padding(const struct insn *insn, unsigned char byte)
{
	return byte == 0xcc || insn->op == 0x90 || insn->op == 0x0f1f;
}

/* False: two ways lead here with another stack each. */
static bool sweep_goes_to(struct sweep *s, int64_t to)
{
	/* The last call of a function may be a jump to another one. */
	if (to < (int64_t)s->begin || to >= (int64_t)s->n)
		return is_same(&s->now, &at_begin);
	if (to < (int64_t)s->next || s->at[to].depth)
		return is_same(&s->at[to], &s->now);
	s->at[to] = s->now;
	return true;
}

static bool sweep_push(struct sweep *s, const struct insn *insn)
{
	s->now.depth += 8;
	if (insn->op == 0x55 && !(insn->rex & 1) && !s->now.bp)
		s->now.bp = -s->now.depth;
	return s->now.depth <= DEPTH_MAX;
}

static bool sweep_pop(struct sweep *s, const struct insn *insn)
{
	bool is_bp = insn->op == 0x58 + INSN_BP && !(insn->rex & 1);

	if (is_bp != (s->now.bp && s->now.bp == -s->now.depth))
		return false;
	if (is_bp)
		s->now.bp = 0;
	s->now.depth -= 8;
	return s->now.depth >= at_begin.depth &&
	       (insn->op != 0x58 + INSN_SP || insn->rex & 1);
}

/* "add" and "sub" of a number of one byte to sp. */
static bool sweep_add(struct sweep *s, const struct insn *insn)
{
	int8_t number;

	memcpy(&number, s->code + s->next - 1, sizeof(number));
	s->now.depth += insn->modrm == 0xc4 ? -number : number;
	return !(s->now.depth & 7) && s->now.depth >= -s->now.bp &&
	       s->now.depth >= at_begin.depth && s->now.depth <= DEPTH_MAX;
}

/* What an instruction that goes on does to the stack; false: not known. */
static bool sweep_changes(struct sweep *s, const struct insn *insn)
{
	if (insn->op >= 0x50 && insn->op <= 0x57)
		return sweep_push(s, insn);
	if (insn->op >= 0x58 && insn->op <= 0x5f)
		return sweep_pop(s, insn);
	if (insn->op == 0x83 && insn->rex == 0x48 &&
	    (insn->modrm == 0xc4 || insn->modrm == 0xec))
		return sweep_add(s, insn);
	return !insn_writes(insn, INSN_SP) &&
	       (s->now.bp || !insn_writes(insn, INSN_BP));
}

static bool sweep_follow(struct sweep *s, const struct insn *insn)
{
	int64_t to = (int64_t)s->next + insn->target;

	switch (insn->flow) {
	case INSN_CALL:
		return true;
	case INSN_BRANCH:
		return sweep_goes_to(s, to);
	case INSN_JUMP:
		s->over = true;
		return sweep_goes_to(s, to);
	case INSN_AWAY:
	case INSN_RETURN:
		s->over = true;
		return is_same(&s->now, &at_begin);
	case INSN_GOES_ON:
		break;
	}
	return sweep_changes(s, insn);
}

/* Behind an end: what a branch led to, or the next function; false: padding. */
static bool sweep_resumes(struct sweep *s, const struct insn *insn, size_t at)
{
	if (!s->at[at].depth && is_padding(insn, s->code[at]))
		return false;
	if (!s->at[at].depth) {
		s->at[at] = at_begin;
		s->begin = at;
	}
	s->now = s->at[at];
	s->over = false;
	return true;
}

/* One instruction; false: it is not understood. */
static bool sweep_step(struct sweep *s)
{
	size_t at = s->next;
	struct insn insn;

	if (s->code[at] == 0xcc)
		insn = (struct insn){ .size = 1 };
	else if (!insn_read(&insn, s->code + at, s->n - at))
		return false;
	s->next = at + insn.size;
	if (s->over && !sweep_resumes(s, &insn, at))
		return true;
	if (s->at[at].depth && !is_same(&s->at[at], &s->now))
		return false;
	s->at[at] = s->now;
	/* A trap among the instructions of a function. */
	return s->code[at] != 0xcc && sweep_follow(s, &insn);
}

static bool tell_rows(const struct sweep *s, size_t end, uint64_t address,
		      cfa_row *row, void *arg)
{
	struct profil_unwind_rule rule = { .kind = PROFIL_RULE_SP };
	const struct stack *last = NULL;
	size_t at;

	for (at = 0; at < end; at++) {
		if (!s->at[at].depth || (last && is_same(last, &s->at[at])))
			continue;
		last = &s->at[at];
		rule.cfa = last->depth;
		rule.bp = last->bp;
		row(arg, address + at, &rule);
	}
	return last;
}

size_t bare_code(const unsigned char *code, size_t n, uint64_t address,
		 cfa_row *row, void *arg)
{
	struct stack at[CODE_MAX];
	struct sweep s = { .code = code, .n = n, .at = at, .over = true };
	bool known = true;
	size_t end;

	if (n > CODE_MAX)
		return 0;
	memset(at, 0, n * sizeof(*at));
	while (known && s.next < n)
		known = sweep_step(&s);
	end = known && s.over ? n : s.begin;
	return tell_rows(&s, end, address, row, arg) ? end : 0;
}
