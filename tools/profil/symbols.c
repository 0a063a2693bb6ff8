// SPDX-License-Identifier: MIT
/*
 * The table of an object's functions: .symtab, else that of its debug file, else
 * Go's own, else .dynsym and what .gnu_debugdata has; and what .eh_frame and the
 * PLT add, by the rules of prof.
 *
 * libelf only reads.  It gets no memory map of the file, which could be cut
 * short meanwhile, and no compressed section.  It frees what it has read when its
 * view of the file ends.  So what is read once, and is large, has its own view.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug.h"
#include "elfs.h"
#include "gonames.h"
#include "near.h"
#include "symbols.h"

#define SECTION_MAX	(512u << 20)
#define PLT_NAMES_MAX	(16u << 20)

struct names {
	struct symbols symbols;
	Elf *elf, *debug, *unpacked;
	int debug_fd;
	void *memory;		/* of unpacked */
	char *plt_names;
	size_t texts;		/* bytes of names */
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

static Elf *check_elf(Elf *elf)
{
	if (elf && (elf_kind(elf) != ELF_K_ELF || !has_sane_sections(elf))) {
		elf_end(elf);
		return NULL;
	}
	return elf;
}

static Elf *open_elf(int fd)
{
	elf_version(EV_CURRENT);
	return check_elf(fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL);
}

struct Elf *symbols_open(const struct object *object)
{
	elf_version(EV_CURRENT);
	if (!object->memory)
		return open_elf(object->fd);
	return check_elf(elf_memory((char *)object->memory, object->size));
}

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *head)
{
	Elf_Scn *scn = NULL;

	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, head) && head->sh_type == type)
			return scn;
	return NULL;
}

static void take_table(struct symbols *symbols, Elf *elf, Elf_Data *data,
		       const GElf_Shdr *head)
{
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

/* The table of symbols is freed at the end; their names stay, with elf. */
static bool take_from(struct names *names, Elf *elf, int fd, GElf_Word type)
{
	Elf *view = open_elf(fd);
	GElf_Shdr head, texts;
	Elf_Scn *scn = find_table(view ? view : elf, type, &head);

	if (scn)
		take_table(&names->symbols, elf, elf_getdata(scn, NULL), &head);
	if (scn && gelf_getshdr(elf_getscn(elf, head.sh_link), &texts))
		names->texts += texts.sh_size;
	elf_end(view);
	return scn;
}

static void take_symbols(struct names *names, const struct object *object)
{
	int fd = object->memory ? -1 : object->fd;

	if (take_from(names, names->elf, fd, SHT_SYMTAB))
		return;
	names->debug_fd = debug_open(object->path, object->build_id,
				     names->elf);
	names->debug = open_elf(names->debug_fd);
	if (take_from(names, names->debug, names->debug_fd, SHT_SYMTAB))
		return;
	names->texts += gonames_take(&names->symbols, names->elf);
	/* It leaves out what .dynsym has. */
	names->unpacked = check_elf(debug_unpack(names->elf, &names->memory));
	names->symbols.stripped = !take_from(names, names->unpacked, -1,
					     SHT_SYMTAB);
	take_from(names, names->elf, fd, SHT_DYNSYM);
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

/*
 * Copies the names, because libelf is about to free them.  The limit is for a
 * damaged file, in which many entries may have the same long name.
 */
static void keep_plt_names(struct names *names)
{
	struct symbols *plt = &names->symbols;
	size_t total = 0, at = 0, nr, size;

	for (nr = 0; nr < plt->nr; nr++) {
		size = strlen(plt->list[nr].name) + 1;
		if (total + size > PLT_NAMES_MAX)
			break;
		total += size;
	}
	plt->nr = nr;
	names->texts += total;
	names->plt_names = more(NULL, 0, total + 1);
	for (nr = 0; nr < plt->nr; nr++) {
		size = strlen(plt->list[nr].name) + 1;
		memcpy(names->plt_names + at, plt->list[nr].name, size);
		plt->list[nr].name = names->plt_names + at;
		at += size;
	}
}

static void take_entries(struct names *names, const struct object *object,
			 struct spans *spans)
{
	Elf *elf = symbols_open(object);

	plt_read(&names->symbols, elf);
	keep_plt_names(names);
	ehframe_read(spans, elf, &names->symbols);
	elf_end(elf);
}

/* Gives back the room that the list grew by, because names may be kept. */
static void fit_list(struct symbols *symbols)
{
	struct symbol *list = symbols->nr ? realloc(symbols->list,
				symbols->nr * sizeof(*list)) : NULL;

	if (list)
		symbols->list = list;
}

struct names *names_read_near(const struct object *object,
			      const uint64_t *asked, size_t nr)
{
	struct names *names = more(NULL, 0, sizeof(*names));
	struct spans spans = { 0 };

	memset(names, 0, sizeof(*names));
	names->debug_fd = -1;
	names->elf = symbols_open(object);
	if (!names->elf) {
		names_free(names);
		return NULL;
	}
	names->symbols.word = gelf_getclass(names->elf) == ELFCLASS32 ? 4 : 8;
	set_range(&names->symbols, object);
	take_entries(names, object, &spans);
	take_symbols(names, object);
	symbols_keep_near(&names->symbols, asked, nr);
	settle(&names->symbols, &spans);
	free(spans.list);
	fit_list(&names->symbols);
	return names;
}

struct names *names_read(const struct object *object)
{
	return names_read_near(object, NULL, 0);
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
		.suffix = list[low - 1].is_plt ? "@plt" : "",
		.plus = list[low - 1].plus,
		.has_plus = list[low - 1].has_plus,
		.start = list[low - 1].start,
		.end = list[low - 1].end,
	};
	return true;
}

size_t names_size(const struct names *names)
{
	return names->texts + names->symbols.nr * sizeof(struct symbol);
}

bool names_are_stripped(const struct names *names)
{
	return names->symbols.stripped;
}

/* "clone@@GLIBC_2.2.5": the version is the linker's. */
const char *names_readable(const char *raw)
{
	const char *version = *raw ? strchr(raw + 1, '@') : NULL;
	static char *plain;

	if (!version || !strcmp(version, "@plt"))
		return demangle(raw);
	free(plain);
	plain = strndup(raw, version - raw);
	return demangle(plain ? plain : raw);
}

void names_free(struct names *names)
{
	if (names->elf)
		elf_end(names->elf);
	if (names->debug)
		elf_end(names->debug);
	if (names->debug_fd >= 0)
		close(names->debug_fd);
	if (names->unpacked)
		elf_end(names->unpacked);
	free(names->memory);
	free(names->plt_names);
	free(names->symbols.list);
	free(names);
}
