// SPDX-License-Identifier: MIT
/* The program's functions, from it or its separate debug file: elfutils. */
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prof.h"

static char *debug_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

/* What is compressed elfutils would unpack, to whatever size it has. */
static int open_elf(const char *program)
{
	Elf_Kind kind;
	size_t size;
	Elf *elf;
	int fd;

	fd = input_open(program, &size);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	kind = elf_kind(elf);
	elf_end(elf);
	if (kind != ELF_K_ELF) {
		close(fd);
		die("%s: not an ELF file", program);
	}
	return fd;
}

/* Addresses are the linker's: no load address is added. */
static Dwfl_Module *open_program(const char *program)
{
	int fd = open_elf(program);
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;

	if (!dwfl)
		die("%s", dwfl_errmsg(-1));
	module = dwfl_report_elf(dwfl, program, program, fd, 0, true);
	if (!module) {
		close(fd);
		die("%s: %s", program, dwfl_errmsg(-1));
	}
	dwfl_report_end(dwfl, NULL, NULL);
	return module;
}

static void read_header(struct symbols *symbols, Elf *elf, const char *program)
{
	static const uint16_t one = 1;
	int little = *(const unsigned char *)&one;
	GElf_Phdr segment;
	GElf_Ehdr head;
	size_t nr, i;

	if (!elf)
		die("%s: %s", program, dwfl_errmsg(-1));
	if (!gelf_getehdr(elf, &head) || elf_getphdrnum(elf, &nr) != 0)
		die("%s: %s", program, elf_errmsg(-1));
	/* To libelf a table that is not there is one without sections. */
	if (elf_getshdrnum(elf, &i) != 0 || i < head.e_shnum)
		die("%s: cut short or damaged: no section headers at %#llx",
		    program, (unsigned long long)head.e_shoff);
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		die("%s: neither a program nor a shared library", program);
	if (head.e_ident[EI_DATA] != (little ? ELFDATA2LSB : ELFDATA2MSB))
		die("%s: for a machine of the other byte order", program);
	symbols->word = head.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	symbols->low = UINT64_MAX;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) ||
		    segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		if (segment.p_vaddr < symbols->low)
			symbols->low = segment.p_vaddr;
		if (segment.p_vaddr + segment.p_memsz > symbols->high)
			symbols->high = segment.p_vaddr + segment.p_memsz;
	}
}

/* What is left of a stripped file names only what it imports and exports. */
static bool has_symtab(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

static unsigned int rank_of(const GElf_Sym *sym, const char *name)
{
	unsigned int rank = 0;

	if (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
		rank += 16;
	if (GELF_ST_BIND(sym->st_info) == STB_GLOBAL)
		rank += 8;
	else if (GELF_ST_BIND(sym->st_info) == STB_WEAK)
		rank += 4;
	if (name[0] != '_')
		rank += 2;
	if (sym->st_size)
		rank++;
	return rank;
}

static bool is_wanted(const GElf_Sym *sym, bool labels)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		return labels || GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	default:
		return false;
	}
}

/* Until the next one is known, a symbol goes to the end of its section. */
static void add(struct symbols *symbols, Dwfl_Module *module, int i,
		bool labels, Elf **from)
{
	GElf_Word shndx;
	GElf_Addr addr;
	const char *name;
	GElf_Shdr head;
	GElf_Sym sym;
	uint64_t end;
	Elf *elf;

	name = dwfl_module_getsym_info(module, i, &sym, &addr, &shndx, &elf,
				       NULL);
	if (!name || !*name || shndx == SHN_UNDEF || shndx >= SHN_LORESERVE ||
	    !is_wanted(&sym, labels) ||
	    !gelf_getshdr(elf_getscn(elf, shndx), &head) ||
	    !(head.sh_flags & SHF_EXECINSTR) ||
	    sym.st_value - head.sh_addr >= head.sh_size)
		return;
	end = addr + (head.sh_addr + head.sh_size - sym.st_value);
	/* A section that goes round the end of memory is damaged. */
	if (end <= addr)
		return;
	*from = elf;
	symbols->list = more(symbols->list, symbols->nr,
			     sizeof(*symbols->list));
	symbols->list[symbols->nr++] = (struct symbol){
		.start = addr,
		.end = end,
		.name = name,
		.rank = rank_of(&sym, name),
	};
}

static int by_address(const void *one, const void *two)
{
	const struct symbol *a = one, *b = two;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* One symbol an address, each up to the next. */
static void settle(struct symbols *symbols)
{
	struct symbol *list = symbols->list;
	size_t nr = 0, i;

	/* There may be no list. */
	if (symbols->nr == 0)
		return;
	qsort(list, symbols->nr, sizeof(*list), by_address);
	for (i = 0; i < symbols->nr; i++) {
		if (nr && list[nr - 1].start == list[i].start)
			continue;
		if (nr && list[nr - 1].end > list[i].start)
			list[nr - 1].end = list[i].start;
		list[nr++] = list[i];
	}
	symbols->nr = nr;
}

struct symbols symbols_read(const char *program, bool labels)
{
	struct symbols symbols = {
		.none = { .start = UINT64_MAX, .name = "(no symbol)" },
	};
	Dwfl_Module *module = open_program(program);
	Elf *from = NULL;
	GElf_Addr bias;
	int nr, i;

	read_header(&symbols, dwfl_module_getelf(module, &bias), program);
	nr = dwfl_module_getsymtab(module);
	for (i = 0; i < nr; i++)
		add(&symbols, module, i, labels, &from);
	if (!has_symtab(from))
		die("%s: no symbols: was it stripped? (its debug file, or the program unstripped, would do)",
		    program);
	settle(&symbols);
	return symbols;
}
