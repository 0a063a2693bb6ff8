// SPDX-License-Identifier: MIT
/* What a loaded object has mapped, and what it refers to. */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include "dynamic.h"

#define ELF_DYN		ElfW(Dyn)

#if defined(__LP64__)
#define SYMBOL_OF	ELF64_R_SYM
#else
#define SYMBOL_OF	ELF32_R_SYM
#endif

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

const char *const profil_counters[PROFIL_COUNTERS] = {
	"mcount", "_mcount", "__fentry__",
};

static bool symbol_counts(const struct profil_dynamic *dynamic, uint32_t symbol)
{
	const char *name = dynamic->names + dynamic->symbols[symbol].st_name;
	unsigned int i;

	if (!symbol || dynamic->symbols[symbol].st_shndx != SHN_UNDEF)
		return false;
	for (i = 0; i < PROFIL_COUNTERS; i++)
		if (!strcmp(name, profil_counters[i]))
			return true;
	return false;
}

bool profil_dynamic_counts(const struct profil_dynamic *dynamic,
			   profil_found_counter *found, void *arg)
{
	bool any = false;
	uint32_t symbol;
	size_t at;
	int i;

	for (i = 0; i < 2; i++) {
		const struct profil_relocs *relocs = &dynamic->relocs[i];

		for (at = 0; relocs->table && relocs->entry &&
		     at < relocs->bytes; at += relocs->entry) {
			const ELF_REL *reloc =
				(const void *)(relocs->table + at);

			symbol = SYMBOL_OF(reloc->r_info);
			if (!symbol_counts(dynamic, symbol))
				continue;
			any = true;
			if (found)
				found(arg, reloc, dynamic->names +
				      dynamic->symbols[symbol].st_name);
		}
	}
	return any;
}
