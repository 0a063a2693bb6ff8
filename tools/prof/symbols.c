// SPDX-License-Identifier: MIT
/* The program's functions, from all that names them. */
#include <string.h>

#include "elfs.h"
#include "prof.h"

/* A stripped file has the names of what it imports and exports. */
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

void symbols_add(struct symbols *symbols, struct symbol symbol)
{
	symbols->list = more(symbols->list, symbols->nr,
			     sizeof(*symbols->list));
	symbols->list[symbols->nr++] = symbol;
}

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
	symbols_add(symbols, (struct symbol){
		.start = addr,
		.end = end,
		.size = sym.st_size,
		.name = name,
		.rank = rank_of(&sym, name),
	});
}

struct symbols symbols_read(const char *program, bool labels)
{
	const char *slash = strrchr(program, '/');
	struct symbols symbols = {
		.object = slash ? slash + 1 : program,
		.none = { .start = UINT64_MAX, .name = "(no symbol)" },
	};
	Dwfl_Module *module = program_open(program);
	struct spans spans = { 0 };
	Elf *from = NULL, *elf;
	GElf_Addr bias;
	int nr, i;

	elf = dwfl_module_getelf(module, &bias);
	program_read(&symbols, elf, program);
	nr = dwfl_module_getsymtab(module);
	for (i = 0; i < nr; i++)
		add(&symbols, module, i, labels, &from);
	symbols.stripped = !has_symtab(from);
	plt_read(&symbols, elf);
	ehframe_read(&spans, elf, &symbols);
	settle(&symbols, &spans);
	if (!symbols.nr)
		die("%s: no symbols: was it stripped? (its debug file, or the program unstripped, would do)",
		    program);
	return symbols;
}
