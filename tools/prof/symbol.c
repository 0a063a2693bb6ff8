// SPDX-License-Identifier: MIT
/* Which symbols of an ELF file are functions, and how good their names are. */
#include <string.h>

#include "elfs.h"
#include "prof.h"

static uint8_t rank_of(const GElf_Sym *sym, const char *name)
{
	uint8_t rank = 0;

	/* "cfree@GLIBC_2.2.5" is there for old programs. */
	if (!strchr(name, '@'))
		rank += 32;
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

bool symbols_take(struct symbols *symbols, Elf *elf, const GElf_Sym *sym,
		  GElf_Word shndx, GElf_Addr addr, const char *name,
		  bool labels)
{
	GElf_Shdr head;
	uint64_t end;

	if (!*name || shndx == SHN_UNDEF || shndx >= SHN_LORESERVE ||
	    !is_wanted(sym, labels) ||
	    !gelf_getshdr(elf_getscn(elf, shndx), &head) ||
	    !(head.sh_flags & SHF_EXECINSTR) ||
	    sym->st_value - head.sh_addr >= head.sh_size)
		return false;
	end = addr + (head.sh_addr + head.sh_size - sym->st_value);
	/* A section that goes round the end of memory is damaged. */
	if (end <= addr)
		return false;
	symbols_add(symbols, (struct symbol){
		.start = addr,
		.end = end,
		.size = (uint32_t)least_of(sym->st_size, UINT32_MAX),
		.name = name,
		.rank = rank_of(sym, name),
	});
	return true;
}
