// SPDX-License-Identifier: MIT
/*
 * Paths by tables that were not those of what was mapped, because it had changed.
 *
 * The kernel does not know that.  Two looks find it: before each return address
 * stands a call, and a whole path ends in a function that has no caller.
 */
#include <elf.h>
#include <string.h>

#include "hash.h"
#include "paths.h"
#include "tables.h"
#include "util.h"

#define CALL_MAX	8	/* bytes of a call, with prefixes */

/* The call at the end of the bytes: E8 and 4 bytes, or FF /2 with an operand. */
static bool ends_in_call_x86(const unsigned char *code, size_t nr)
{
	size_t length;

	if (nr >= 5 && code[nr - 5] == 0xe8)
		return true;
	for (length = 2; length <= 7 && length <= nr; length++) {
		const unsigned char *at = code + nr - length;
		unsigned char mod = at[1] >> 6, rm = at[1] & 7;
		size_t operand = mod == 1 ? 1 : mod == 2 ? 4 : 0;

		if (at[0] != 0xff || (at[1] >> 3 & 7) != 2)
			continue;
		if (mod != 3 && rm == 4) {
			if (length > 2 && !mod && (at[2] & 7) == 5)
				operand = 4;
			operand++;
		} else if (!mod && rm == 5) {
			operand = 4;
		}
		if (length == 2 + operand)
			return true;
	}
	return false;
}

/* bl, blr, and the forms of blr that check a signed pointer */
static bool ends_in_call_arm64(const unsigned char *code, size_t nr)
{
	uint32_t word;

	if (nr < sizeof(word))
		return false;
	memcpy(&word, code + nr - sizeof(word), sizeof(word));
	return word >> 26 == 0x25 || (word & 0xfefff800) == 0xd63f0000;
}

static bool look_up(const struct object *object, uint64_t offset)
{
	unsigned char code[CALL_MAX];
	size_t nr = offset < sizeof(code) ? offset : sizeof(code);

	if (object_read(object, code, nr, offset - nr) != nr)
		return true;
	if (object->machine == EM_AARCH64)
		return ends_in_call_arm64(code, nr);
	return ends_in_call_x86(code, nr);
}

/* Offsets that were looked at. */
static struct known {
	const struct object *object;
	uint64_t offset;
	bool is_after;
} known[4096];

void paths_forget(void)
{
	memset(known, 0, sizeof(known));
}

/* True also if it can't be read. */
static bool is_after_call(const struct object *object, uint64_t offset)
{
	uint64_t hash = hash_u64((uintptr_t)object, offset);
	struct known *at = &known[hash % ARRAY_SIZE(known)];

	if (at->object != object || at->offset != offset)
		*at = (struct known){ object, offset, look_up(object, offset) };
	return at->is_after;
}

static uint32_t mark_of(const struct place *place)
{
	return place->object ? tables_mark(place->object, place->offset) : 0;
}

/* Where a coroutine of makecontext() returns to, which never called it. */
static bool is_coroutine(const struct place *place)
{
	static const unsigned char begin[] = {
		0x48, 0x89, 0xdc,		/* mov %rbx,%rsp */
		0x48, 0x8b, 0x3c, 0x24,		/* mov (%rsp),%rdi */
	};
	unsigned char code[sizeof(begin)];

	return place->object->machine == EM_X86_64 &&
	       object_read(place->object, code, sizeof(code),
			   place->offset + 1) == sizeof(code) &&
	       !memcmp(code, begin, sizeof(code));
}

static bool is_return(const struct place *place, uint32_t mark)
{
	return !place->object || mark ||
	       is_after_call(place->object, place->offset + 1);
}

/* What has frame pointers alone does not say so. */
static bool is_outermost(const struct place *place, uint32_t mark, bool exact)
{
	return !place->object || tables_has_none(place->object) ||
	       mark == PROFIL_RULE_END ||
	       (!exact && is_coroutine(place));
}

/* How many of the outermost pcs are those of the path before, but for the first. */
static size_t count_same(const struct pending *sample, const struct placed *placed)
{
	size_t most = placed->nr < sample->nr ? placed->nr : sample->nr, nr = 0;

	if (!most || sample->end != placed->end)
		return 0;
	while (nr + 1 < most &&
	       sample->pcs[sample->nr - 1 - nr] == placed->list[nr].pc)
		nr++;
	return nr;
}

/* A function that a program made may be another one later. */
static bool is_lasting(const struct place *place)
{
	return place->object &&
	       (place->object->fd >= 0 || place->object->memory);
}

size_t paths_find(struct process *p, struct pending *sample, find_place *find,
		  bool last, struct placed *placed)
{
	bool exact = true, outermost = false, lasting = true;
	size_t same = count_same(sample, placed), i;

	placed->nr = 0;
	placed->same = 0;
	for (i = 0; i < sample->nr; i++) {
		struct callee *at = &placed->list[sample->nr - 1 - i];
		uint64_t pc = sample->pcs[i];
		uint32_t mark;

		if (sample->nr - i <= same && at->exact == exact) {
			placed->same = sample->nr - i;
			break;
		}
		at->pc = pc;
		at->exact = exact;
		if (!i)
			pc &= ~PROFIL_NODE_KERNEL;
		if (!find(p, pc - !exact, &at->place))
			/* The one that the kernel did not find either. */
			return last && i && i + 1 == sample->nr &&
			       sample->end == PROFIL_PATH_UNMAPPED ? i : 0;
		mark = mark_of(&at->place);
		/* The first function is returned to without a call. */
		outermost = sample->end == PROFIL_PATH_WHOLE &&
			    i + 1 == sample->nr &&
			    is_outermost(&at->place, mark, exact);
		if (!exact && !outermost && !is_return(&at->place, mark)) {
			sample->end = PROFIL_PATH_WILD;
			return i;
		}
		exact = mark == PROFIL_RULE_SIGNAL;
		lasting &= is_lasting(&at->place);
	}
	if (sample->end == PROFIL_PATH_WHOLE && !outermost && !placed->same) {
		sample->end = PROFIL_PATH_WILD;
		return i;
	}
	placed->end = sample->end;
	placed->nr = lasting ? sample->nr : 0;
	return sample->nr;
}
