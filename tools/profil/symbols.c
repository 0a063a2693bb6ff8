// SPDX-License-Identifier: MIT
/*
 * The table of an object's functions: .symtab, else that of its debug file,
 * else .dynsym, and what .eh_frame and the PLT add, by the rules of prof.
 *
 * libelf only reads.  It gets no memory map of the file, which could be cut
 * short meanwhile, and no compressed section.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elfs.h"
#include "symbols.h"

#define DEBUG_FILES	"/usr/lib/debug/.build-id"
#define SECTION_MAX	(512u << 20)

struct names {
	struct symbols symbols;
	Elf *elf, *debug;
	int fd, debug_fd;
};

/* One that would need more memory than a real one has is not read. */
static bool has_sane_sections(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr head;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head))
			return false;
		if (head.sh_type == SHT_NOBITS)
			continue;
		if ((head.sh_flags & SHF_ALLOC || head.sh_type == SHT_SYMTAB ||
		     head.sh_type == SHT_STRTAB) &&
		    (head.sh_size > SECTION_MAX ||
		     head.sh_flags & SHF_COMPRESSED))
			return false;
	}
	return true;
}

static Elf *open_elf(int fd)
{
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;

	if (elf && (elf_kind(elf) != ELF_K_ELF || !has_sane_sections(elf))) {
		elf_end(elf);
		return NULL;
	}
	return elf;
}

static void open_debug(struct names *names, const struct object *object)
{
	char path[256];

	if (!object->build_id || strlen(object->build_id) < 4)
		return;
	snprintf(path, sizeof(path), DEBUG_FILES "/%.2s/%s.debug",
		 object->build_id, object->build_id + 2);
	names->debug_fd = object_open(-1, path, 0);
	names->debug = open_elf(names->debug_fd);
}

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *head)
{
	Elf_Scn *scn = NULL;

	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, head) && head->sh_type == type)
			return scn;
	return NULL;
}

static void take_table(struct symbols *symbols, Elf *elf, Elf_Scn *scn,
		       const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Sym sym;
	int i;

	for (i = 1; data && gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(elf, head->sh_link, sym.st_name);
		if (name)
			symbols_take(symbols, elf, &sym, sym.st_shndx,
				     sym.st_value, name, false);
	}
}

static void take_symbols(struct names *names, const struct object *object)
{
	Elf *from = names->elf;
	GElf_Shdr head;
	Elf_Scn *scn;

	scn = find_table(from, SHT_SYMTAB, &head);
	if (!scn) {
		open_debug(names, object);
		from = names->debug;
		scn = find_table(from, SHT_SYMTAB, &head);
	}
	if (!scn) {
		names->symbols.stripped = true;
		from = names->elf;
		scn = find_table(from, SHT_DYNSYM, &head);
	}
	if (scn)
		take_table(&names->symbols, from, scn, &head);
}

static void set_range(struct symbols *symbols, const struct object *object)
{
	const char *slash = strrchr(object->path, '/');
	size_t i;

	symbols->object = slash ? slash + 1 : object->path;
	symbols->low = UINT64_MAX;
	for (i = 0; i < object->nr_segments; i++) {
		const struct segment *segment = &object->segments[i];

		if (segment->vaddr < symbols->low)
			symbols->low = segment->vaddr;
		if (segment->vaddr + segment->size > symbols->high)
			symbols->high = segment->vaddr + segment->size;
	}
}

struct names *names_read(const struct object *object)
{
	struct names *names = more(NULL, 0, sizeof(*names));
	struct spans spans = { 0 };

	memset(names, 0, sizeof(*names));
	elf_version(EV_CURRENT);
	names->debug_fd = -1;
	if (object->memory && object->size)
		names->elf = elf_memory((char *)object->memory, object->size);
	else
		names->elf = open_elf(object->fd);
	if (!names->elf) {
		names_free(names);
		return NULL;
	}
	names->symbols.word = gelf_getclass(names->elf) == ELFCLASS32 ? 4 : 8;
	set_range(&names->symbols, object);
	take_symbols(names, object);
	plt_read(&names->symbols, names->elf);
	ehframe_read(&spans, names->elf, &names->symbols);
	settle(&names->symbols, &spans);
	free(spans.list);
	return names;
}

bool names_find(const struct names *names, uint64_t vaddr, struct name *name)
{
	const struct symbol *list = names->symbols.list;
	size_t low = 0, high = names->symbols.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || vaddr >= list[low - 1].end)
		return false;
	*name = (struct name){
		.raw = list[low - 1].name,
		.suffix = list[low - 1].suffix ? list[low - 1].suffix : "",
		.plus = list[low - 1].plus,
		.has_plus = list[low - 1].has_plus,
	};
	return true;
}

bool names_are_stripped(const struct names *names)
{
	return names->symbols.stripped;
}

const char *names_readable(const char *raw)
{
	return demangle(raw);
}

void names_free(struct names *names)
{
	if (names->elf)
		elf_end(names->elf);
	if (names->debug)
		elf_end(names->debug);
	if (names->debug_fd >= 0)
		close(names->debug_fd);
	free(names->symbols.list);
	free(names);
}
