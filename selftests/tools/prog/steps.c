// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's walk against elfutils: steps PROGRAM ARG... runs a program from
 * its first int3 to its second, instruction by instruction, and walks its stack
 * at each by both.  Prints how many steps there were, and how paths ended.
 *
 * A path that does not end as "whole" must be the beginning of elfutils'.  Where
 * there is no .eh_frame elfutils guesses, and what it says from there on is not
 * compared.
 *
 * Each 10th path is walked by wrong tables as well, which are shifted against
 * the text: profil has to find that.
 */
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../host/kernel.h"

static pid_t child;
static bool read_word(u64 *word, u64 at);

#define PROFIL_UNWIND_ARM64	0
#define PROFIL_UNWIND_READ(word, at, label)	\
do {						\
	u64 __word;				\
						\
	if (!read_word(&__word, at))		\
		goto label;			\
	(word) = __word;			\
} while (0)

#include "observe/unwind/check.h"
#include "observe/unwind/step.h"

#include "paths.h"
#include "tables.h"
#include "unwind.h"

#define STEPS_MAX	200000
#define FRAMES_MAX	255

struct path {
	u64 pc[FRAMES_MAX];
	unsigned int nr;
	bool guessed;		/* behind the last */
	bool coroutine;		/* ends at a return address of 0 */
};

/* The table of an object. */
struct compiled {
	const struct object *object;
	struct profil_unwind_view view;
	u64 base;
};

static struct compiled tables[256];
static size_t nr_tables;
static struct maps maps;
static unsigned long ends[16], differ, longer;
static u64 shift;		/* of the tables against the text */
static unsigned long judged, wrong, wrong_whole, right_not_whole;
static unsigned long kept_differs, kept_frames, all_frames;
/* Where paths ended that are not whole. */
static struct early {
	const struct object *object;
	u64 offset;
	int end;
	unsigned long count;
} early[256];

static bool read_word(u64 *word, u64 at)
{
	struct iovec to = { word, sizeof(*word) };
	struct iovec from = { (void *)at, sizeof(*word) };

	return process_vm_readv(child, &to, 1, &from, 1, 0) == sizeof(*word);
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
static int step(struct profil_unwind_frame *frame)
{
	u64 pc = frame->pc - !frame->exact, vaddr;
	const struct map *map = maps_find(&maps, pc);
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

static int walk(const struct user_regs_struct *regs, struct path *path)
{
	struct profil_unwind_frame frame = {
		.pc = regs->rip, .sp = regs->rsp, .bp = regs->rbp,
		.exact = true, .limit = 0x7ffffffff000,
	};
	int end = 0;

	for (path->nr = 0; !end; end = step(&frame)) {
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

static void note_early(int end, u64 pc)
{
	const struct map *map = maps_find(&maps, pc);
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

static void print_path(const char *name, const struct path *path)
{
	unsigned int i;

	printf("#   %s:", name);
	for (i = 0; i < path->nr; i++)
		printf(" %#llx", (unsigned long long)path->pc[i]);
	putchar('\n');
}

static void compare(Dwfl *dwfl, const struct user_regs_struct *regs)
{
	struct path ours = { .nr = 0 }, theirs = { .nr = 0 };
	int end = walk(regs, &ours);
	unsigned int common;

	dwfl_getthread_frames(dwfl, child, on_frame, &theirs);
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
	print_path("ours", &ours);
	print_path("elfutils", &theirs);
}

static bool find(struct process *p, uint64_t pc, struct place *place)
{
	const struct map *map = maps_find(&maps, pc);

	(void)p;
	if (!map)
		return false;
	*place = (struct place){ .object = map->object, .part = map->name };
	place->offset = pc - map->start + map->offset;
	return true;
}

static bool is_same(const struct placed *a, const struct placed *b, size_t from,
		    size_t nr)
{
	size_t i;

	for (i = from - nr; i < from; i++)
		if (a->list[i].place.object != b->list[i].place.object ||
		    a->list[i].place.offset != b->list[i].place.offset ||
		    a->list[i].exact != b->list[i].exact)
			return false;
	return true;
}

/* Whether profil shows it as whole: also if it remembers the path before. */
static bool is_shown_whole(struct path *path, int end, struct placed *kept)
{
	static struct placed fresh;
	struct pending sample = {
		.pcs = path->pc, .nr = path->nr, .end = (uint32_t)end,
	};
	struct pending again = sample;
	size_t nr;

	fresh.nr = 0;
	nr = paths_find(NULL, &sample, find, true, &fresh);
	if (paths_find(NULL, &again, find, true, kept) != nr ||
	    again.end != sample.end || !is_same(&fresh, kept, sample.nr, nr))
		kept_differs++;
	kept_frames += kept->same;
	all_frames += nr;
	return nr && sample.end == PROFIL_PATH_WHOLE;
}

static void judge(const struct user_regs_struct *regs)
{
	static const u64 shifts[] = { 64, 1040, 40 << 10 };
	static struct placed kept, kept_wrong;
	struct path right = { .nr = 0 }, other = { .nr = 0 };
	unsigned int i;
	int end;

	/* Of one frame: between the stacks of two coroutines. */
	if (walk(regs, &right) != PROFIL_PATH_WHOLE || right.nr == 1)
		return;
	judged++;
	if (!is_shown_whole(&right, PROFIL_PATH_WHOLE, &kept) &&
	    right_not_whole++ < 10)
		print_path("right, but not shown as whole", &right);
	/* Of its two or three frames one may be left out unseen. */
	if (right.coroutine)
		return;
	/* An address that no call returns to. */
	if (right.nr > 2) {
		right.pc[right.nr - 2]++;
		wrong_whole += is_shown_whole(&right, PROFIL_PATH_WHOLE, &kept_wrong);
		right.pc[right.nr - 2]--;
	}
	for (i = 0; i < 3; i++) {
		shift = shifts[i];
		end = walk(regs, &other);
		shift = 0;
		if (other.nr == right.nr &&
		    !memcmp(other.pc, right.pc, right.nr * sizeof(*right.pc)))
			continue;
		wrong++;
		if (!is_shown_whole(&other, end, &kept_wrong))
			continue;
		if (wrong_whole++ < 10) {
			printf("# shift %llu\n", (unsigned long long)shifts[i]);
			print_path("right", &right);
			print_path("wrong", &other);
		}
	}
}

static char *debug_path = "";

static Dwfl *open_dwfl(void)
{
	static const Dwfl_Callbacks calls = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debug_path,
	};
	Dwfl *dwfl = dwfl_begin(&calls);

	if (!dwfl || dwfl_linux_proc_report(dwfl, child) ||
	    dwfl_report_end(dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(dwfl, child, true)) {
		printf("# dwfl: %s\n", dwfl_errmsg(-1));
		exit(1);
	}
	return dwfl;
}

/* False if the program has ended. */
static bool resume(enum __ptrace_request how, int *number)
{
	int status;

	if (*number == SIGTRAP)
		*number = 0;
	if (ptrace(how, child, 0, *number) ||
	    waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return false;
	*number = WSTOPSIG(status);
	return true;
}

static unsigned long run(Dwfl *dwfl, const struct maps_check *check,
			 const struct view *view)
{
	struct user_regs_struct regs;
	unsigned long steps = 0;
	int number = 0;
	u64 word;

	while (steps < STEPS_MAX && resume(PTRACE_SINGLESTEP, &number)) {
		if (ptrace(PTRACE_GETREGS, child, 0, &regs))
			break;
		if (read_word(&word, regs.rip) && (u8)word == 0xcc)
			break;
		if (!maps_find(&maps, regs.rip))
			maps_read(&maps, view, check);
		compare(dwfl, &regs);
		if (steps++ % 10 == 0)
			judge(&regs);
	}
	return steps;
}

int main(int argc, char **argv)
{
	static const struct maps_check no_check = { .path = "" };
	struct view view = { .root = -1, .mem = -1 };
	unsigned long steps;
	char path[64];
	int number = 0, i;
	Dwfl *dwfl;

	if (argc < 2)
		return 2;
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	if (!resume(PTRACE_CONT, &number) || number != SIGTRAP)
		return 1;
	snprintf(path, sizeof(path), "/proc/%d/mem", child);
	view.mem = open(path, O_RDONLY);
	view.pid = child;
	maps_read(&maps, &view, &no_check);
	dwfl = open_dwfl();
	steps = run(dwfl, &no_check, &view);
	printf("%lu steps, %lu differ, %lu whole", steps, differ,
	       ends[PROFIL_PATH_WHOLE]);
	for (i = PROFIL_PATH_CUT; i <= PROFIL_PATH_NO_ROOM; i++)
		if (ends[i])
			printf(", %lu end %d", ends[i], i);
	putchar('\n');
	printf("# %lu paths: %lu right ones not whole; by wrong tables %lu, %lu whole\n",
	       judged, right_not_whole, wrong, wrong_whole);
	for (i = 0; early[i].count; i++)
		printf("# end %d in %s at %#llx: %lu\n", early[i].end,
		       early[i].object ? early[i].object->path : "no object",
		       (unsigned long long)early[i].offset, early[i].count);
	kill(child, SIGKILL);
	printf("# %lu of %lu frames as in the path before, %lu paths wrong by it\n",
	       kept_frames, all_frames, kept_differs);
	/* The first entry of a coroutine is a return without a call. */
	return !steps || differ || right_not_whole > 2 || wrong_whole ||
	       kept_differs || (judged > 1000 && 10 * kept_frames < all_frames);
}
