// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's walk against elfutils'.
 *
 * A path that does not end as "whole" must be the beginning of elfutils'.  Where
 * there is no .eh_frame elfutils guesses, and what it says from there on is not
 * compared.
 */
#include "steps.h"

static unsigned long ends[16], differ, longer;
/* Where paths ended that are not whole. */
static struct early {
	const struct object *object;
	u64 offset;
	int end;
	unsigned long count;
} early[256];

static void note_early(int end, u64 pc)
{
	const struct map *map = maps_find(&steps_maps, pc);
	const struct object *object = map ? map->object : NULL;
	u64 offset = map ? pc - map->start + map->offset : pc;
	struct early *at = early;

	while (at->count && (at->end != end || at->object != object ||
			     at->offset != offset))
		at++;
	if (at == early + 255)
		return;
	*at = (struct early){ object, offset, end, at->count + 1 };
}

static bool has_frame(Dwfl *dwfl, u64 pc)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl, pc);
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi;

	cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame)) {
		cfi = module ? dwfl_module_dwarf_cfi(module, &bias) : NULL;
		if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame))
			return false;
	}
	free(frame);
	return true;
}

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct path *path = arg;
	bool exact;
	u64 pc;

	if (path->nr == FRAMES_MAX || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	path->pc[path->nr++] = pc;
	path->guessed = !has_frame(dwfl_thread_dwfl(dwfl_frame_thread(frame)),
				   pc - !exact);
	return path->guessed ? DWARF_CB_ABORT : DWARF_CB_OK;
}

void steps_compare(Dwfl *dwfl, const struct user_regs_struct *regs)
{
	struct path ours = { .nr = 0 }, theirs = { .nr = 0 };
	int end = steps_walk(regs, 0, &ours);
	unsigned int common;

	dwfl_getthread_frames(dwfl, steps_child, on_frame, &theirs);
	ends[end]++;
	if (end != PROFIL_PATH_WHOLE)
		note_early(end, ours.pc[ours.nr - 1]);
	common = ours.nr < theirs.nr ? ours.nr : theirs.nr;
	if (!memcmp(ours.pc, theirs.pc, common * sizeof(*ours.pc)) &&
	    (ours.nr == theirs.nr ||
	     (ours.nr > theirs.nr && theirs.guessed) ||
	     (ours.nr < theirs.nr && end != PROFIL_PATH_WHOLE)))
		return;
	/* gcc says wrongly where bp is at the end of a realigned stack. */
	if (common == theirs.nr && end == PROFIL_PATH_WHOLE &&
	    !memcmp(ours.pc, theirs.pc, common * sizeof(*ours.pc)) &&
	    longer++ < 4)
		return;
	if (differ++ > 20)
		return;
	printf("# end %d\n", end);
	steps_print("ours", &ours);
	steps_print("elfutils", &theirs);
}

static char *debug_path = "";

Dwfl *steps_open(void)
{
	static const Dwfl_Callbacks calls = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debug_path,
	};
	Dwfl *dwfl = dwfl_begin(&calls);

	if (!dwfl || dwfl_linux_proc_report(dwfl, steps_child) ||
	    dwfl_report_end(dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(dwfl, steps_child, true)) {
		printf("# dwfl: %s\n", dwfl_errmsg(-1));
		exit(1);
	}
	return dwfl;
}

bool steps_compared(unsigned long steps)
{
	int i;

	printf("%lu steps, %lu differ, %lu whole", steps, differ,
	       ends[PROFIL_PATH_WHOLE]);
	for (i = PROFIL_PATH_CUT; i <= PROFIL_PATH_NO_ROOM; i++)
		if (ends[i])
			printf(", %lu end %d", ends[i], i);
	putchar('\n');
	for (i = 0; early[i].count; i++)
		printf("# end %d in %s at %#llx: %lu\n", early[i].end,
		       early[i].object ? early[i].object->path : "no object",
		       (unsigned long long)early[i].offset, early[i].count);
	return !differ;
}
