// SPDX-License-Identifier: MIT
/* What a loaded object has mapped, and what it refers to. */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include "dynamic.h"

#define ELF_DYN		ElfW(Dyn)

bool profil_object_has(const struct dl_phdr_info *info, uintptr_t address)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
		    info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

/* Loaders differ in whether these are addresses already. */
static uintptr_t to_pointer(const struct dl_phdr_info *info, uintptr_t value)
{
	return value < info->dlpi_addr ? value + info->dlpi_addr : value;
}

static void read_entry(const struct dl_phdr_info *info, const ELF_DYN *entry,
		       struct profil_dynamic *dynamic)
{
	struct profil_relocs *relocs = dynamic->relocs;
	uintptr_t value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_SYMTAB:
		dynamic->symbols = (const void *)to_pointer(info, value);
		break;
	case DT_STRTAB:
		dynamic->names = (const void *)to_pointer(info, value);
		break;
	case DT_HASH:
		dynamic->hash = (const void *)to_pointer(info, value);
		break;
	case DT_GNU_HASH:
		dynamic->gnu_hash = (const void *)to_pointer(info, value);
		break;
	case DT_RELA:
	case DT_REL:
		relocs[0].table = (const void *)to_pointer(info, value);
		relocs[0].entry = entry->d_tag == DT_RELA ?
				  sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
		break;
	case DT_RELASZ:
	case DT_RELSZ:
		relocs[0].bytes = value;
		break;
	case DT_JMPREL:
		relocs[1].table = (const void *)to_pointer(info, value);
		break;
	case DT_PLTREL:
		relocs[1].entry = value == DT_RELA ? sizeof(ElfW(Rela)) :
						     sizeof(ElfW(Rel));
		break;
	case DT_PLTRELSZ:
		relocs[1].bytes = value;
		break;
	}
}

bool profil_dynamic_read(const struct dl_phdr_info *info,
			 struct profil_dynamic *dynamic)
{
	const ELF_DYN *entry;
	int i;

	memset(dynamic, 0, sizeof(*dynamic));
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		entry = (const ELF_DYN *)(info->dlpi_addr +
					  info->dlpi_phdr[i].p_vaddr);
		for (; entry->d_tag != DT_NULL; entry++)
			read_entry(info, entry, dynamic);
	}
	return dynamic->symbols && dynamic->names;
}

bool profil_symbol_counts(const struct profil_dynamic *dynamic, uint32_t symbol)
{
	static const char *const counters[] = { "mcount", "_mcount",
						"__fentry__" };
	const char *name = dynamic->names + dynamic->symbols[symbol].st_name;
	unsigned int i;

	if (dynamic->symbols[symbol].st_shndx != SHN_UNDEF)
		return false;
	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (!strcmp(name, counters[i]))
			return true;
	return false;
}

/* What is undefined comes before what DT_GNU_HASH knows: [1] is its first. */
bool profil_dynamic_counts(const struct profil_dynamic *dynamic)
{
	uint32_t nr = 0, symbol;

	if (dynamic->gnu_hash)
		nr = dynamic->gnu_hash[1];
	else if (dynamic->hash)
		nr = dynamic->hash[1];
	for (symbol = 0; symbol < nr; symbol++)
		if (profil_symbol_counts(dynamic, symbol))
			return true;
	return false;
}
