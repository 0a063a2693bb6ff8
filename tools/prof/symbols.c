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

static void add_symbol(struct symbols *symbols, Dwfl_Module *module, int i,
		       bool labels, Elf **from)
{
	GElf_Word shndx;
	GElf_Addr addr;
	const char *name;
	GElf_Sym sym;
	Elf *elf;

	name = dwfl_module_getsym_info(module, i, &sym, &addr, &shndx, &elf,
				       NULL);
	if (name && symbols_take(symbols, elf, &sym, shndx, addr, name, labels))
		*from = elf;
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
		add_symbol(&symbols, module, i, labels, &from);
	symbols.stripped = !has_symtab(from);
	plt_read(&symbols, elf);
	ehframe_read(&spans, elf, &symbols);
	settle(&symbols, &spans);
	if (!symbols.nr)
		die("%s: no symbols: was it stripped? (its debug file, or the program unstripped, would do)",
		    program);
	return symbols;
}
