// SPDX-License-Identifier: MIT
/*
 * Text without an entry of .eh_frame, of which it is known how it finds its caller:
 * stubs, trampolines, what V8 generated, and where a program begins.
 */
#include <stdlib.h>
#include <string.h>

#include "bare.h"
#include "gonames.h"
#include "util.h"

#define ENTRY_SIZE	128	/* of where a program begins */
#define GENERATED_MIN	(8u << 20)	/* bytes of text, where V8 is */
#define TEXTS_MAX	256	/* without an entry: each searches all */

static void add_text(struct entries *entries, uint64_t start, uint64_t size,
		     enum known known)
{
	struct entry text = {
		.start = start, .end = start + size, .common = known,
	};
	size_t i;

	if (entries->nr_texts++ >= TEXTS_MAX)
		return;
	for (i = 0; i < entries->nr; i++) {
		const struct entry *entry = &entries->list[i];

		if (start - entry->start < entry->end - entry->start)
			return;
		if (entry->start > start && entry->start < text.end)
			text.end = entry->start;
	}
	entries->list = xgrow(entries->list, entries->nr,
			      sizeof(*entries->list));
	entries->list[entries->nr++] = text;
}

/* Those of static programs, and of aarch64, have no entries. */
static void add_stubs(struct entries *entries, Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr head;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) ||
		    !(head.sh_flags & SHF_EXECINSTR) || !head.sh_size)
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (name && (!strncmp(name, ".plt", 4) ||
			     !strcmp(name, ".iplt")))
			add_text(entries, head.sh_addr, head.sh_size, IS_STUB);
	}
}

/*
 * Where signal handlers of arm64 return to, which has no entry on purpose:
 * "mov x8, #__NR_rt_sigreturn; svc #0".  The walk asks for the byte before.
 */
static void add_trampolines(struct entries *entries, Elf *elf)
{
	static const uint32_t code[] = { 0xd2801168, 0xd4000001 };
	const char *at, *end;
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	Elf_Data *data;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) ||
		    !(head.sh_flags & SHF_EXECINSTR) ||
		    head.sh_type != SHT_PROGBITS)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		end = (const char *)data->d_buf + data->d_size;
		for (at = data->d_buf; (at = memmem(at, (size_t)(end - at), code,
						    sizeof(code))); at++)
			add_text(entries, head.sh_addr - 4 +
				 (uint64_t)(at - (const char *)data->d_buf),
				 4 + sizeof(code), IS_TRAMPOLINE);
	}
}

/* From the first of V8's builtins to the last, in node and the like. */
static void add_generated(struct entries *entries, Elf *elf)
{
	uint64_t low = UINT64_MAX, high = 0;
	Elf_Data *data = NULL;
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr head;
	GElf_Sym sym;
	int i;

	while (!data && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &head) && head.sh_type == SHT_SYMTAB)
			data = elf_getdata(scn, NULL);
	for (i = 1; data && gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(elf, head.sh_link, sym.st_name);
		if (!name || strncmp(name, "Builtins_", 9) != 0 ||
		    !sym.st_size)
			continue;
		if (sym.st_value < low)
			low = sym.st_value;
		if (sym.st_value + sym.st_size > high)
			high = sym.st_value + sym.st_size;
	}
	if (low < high)
		add_text(entries, low, high - low, IS_GENERATED);
}

void bare_sections(struct bare_sections *sections, Elf *elf)
{
	struct bare_section *last = NULL;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr head;

	while (sections->nr < BARE_SECTIONS && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) ||
		    !(head.sh_flags & SHF_EXECINSTR) ||
		    head.sh_type != SHT_PROGBITS)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf || !data->d_size ||
		    head.sh_addr + data->d_size < head.sh_addr ||
		    (last && head.sh_addr < last->start))
			continue;
		last = &sections->list[sections->nr++];
		*last = (struct bare_section){
			.code = data->d_buf, .start = head.sh_addr,
			.size = data->d_size,
		};
	}
}

/* The address of exit(), or 0. */
static uint64_t find_exit(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr head;
	GElf_Sym sym;
	int i;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) ||
		    (head.sh_type != SHT_DYNSYM && head.sh_type != SHT_SYMTAB))
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 1; data && gelf_getsym(data, i, &sym); i++) {
			name = elf_strptr(elf, head.sh_link, sym.st_name);
			if (name && !strcmp(name, "exit"))
				return sym.st_value;
		}
	}
	return 0;
}

/*
 * A C library without entries, such as musl, ends a path where it calls main():
 * "call *%rbx; mov %eax,%edi; call exit".
 */
static void add_starts(struct entries *entries,
		       const struct bare_section *section, uint64_t exit_at)
{
	static const unsigned char code[] = { 0x89, 0xc7, 0xe8 };
	const unsigned char *at = section->code + 2, *end;
	uint64_t address;
	int32_t distance;

	if (section->size < 2)
		return;
	end = section->code + section->size;
	for (; (at = memmem(at, (size_t)(end - at), code, sizeof(code))); at++) {
		if (end - at < 7)
			return;
		memcpy(&distance, at + 3, sizeof(distance));
		address = section->start + (uint64_t)(at - section->code);
		if (at[-2] == 0xff && at[-1] >> 3 == 0xd0 >> 3 &&
		    address + 7 + (uint64_t)distance == exit_at)
			add_text(entries, address - 1, 8, IS_BEGIN);
	}
}

/* Where a stack of Go's begins: what called them runs on another one, or nothing. */
static void take_go(void *arg, uint64_t start, uint64_t end, const char *name)
{
	static const char *const begins[] = {
		"_rt0_amd64_linux", "runtime.asmcgocall", "runtime.cgoSigtramp",
		"runtime.goexit", "runtime.mcall", "runtime.morestack",
		"runtime.mstart", "runtime.rt0_go", "runtime.sigtramp",
		"runtime.systemstack",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strcmp(name, begins[i]))
			add_text(arg, start, end - start, IS_BEGIN);
}

enum bare_go bare_go(struct entries *entries, Elf *elf)
{
	size_t before = entries->nr;

	if (!gonames_each(elf, take_go, entries))
		return NO_GO;
	return entries->nr > before ? GO : GO_UNKNOWN;
}

static uint64_t text_size(const struct object *object)
{
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < object->nr_segments; i++)
		size += object->segments[i].size;
	return size;
}

void bare_texts(struct entries *entries, Elf *elf, const struct object *object,
		const struct bare_sections *sections)
{
	uint64_t exit_at;
	size_t i;

	if (object->machine == EM_AARCH64)
		add_trampolines(entries, elf);
	if (!entries->nr)
		return;
	add_stubs(entries, elf);
	if (text_size(object) >= GENERATED_MIN)
		add_generated(entries, elf);
	if (object->entry)
		add_text(entries, object->entry, ENTRY_SIZE, IS_BEGIN);
	exit_at = sections->nr ? find_exit(elf) : 0;
	for (i = 0; exit_at && i < sections->nr; i++)
		add_starts(entries, &sections->list[i], exit_at);
}
