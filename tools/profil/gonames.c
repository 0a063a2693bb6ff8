// SPDX-License-Identifier: MIT
/*
 * Finds Go's table of functions in an ELF file: Go's own linker gives it a section.
 * That of C puts it among other data in a file that can be moved.
 */
#include <string.h>

#include "elfs.h"
#include "gonames.h"
#include "gopclntab.h"

static const char * const section_names[] = {
	".gopclntab", ".data.rel.ro.gopclntab",
};

struct taking {
	struct symbols *symbols;
	Elf *elf;
};

static Elf_Scn *find_section(Elf *elf, GElf_Shdr *head)
{
	Elf_Scn *scn = NULL;
	const char *name;
	size_t names, i;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, head) || head->sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, head->sh_name);
		for (i = 0; name && i < 2; i++)
			if (!strcmp(name, section_names[i]))
				return scn;
	}
	return NULL;
}

static GElf_Word section_at(Elf *elf, uint64_t address)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr head;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &head) &&
		    head.sh_flags & SHF_EXECINSTR &&
		    address - head.sh_addr < head.sh_size)
			return (GElf_Word)elf_ndxscn(scn);
	return SHN_UNDEF;
}

static void take_function(void *arg, uint64_t start, uint64_t end, const char *name)
{
	struct taking *taking = arg;
	const GElf_Sym sym = {
		.st_info = GELF_ST_INFO(STB_LOCAL, STT_FUNC),
		.st_value = start, .st_size = end - start,
	};

	symbols_take(taking->symbols, taking->elf, &sym,
		     section_at(taking->elf, start), start, name, false);
}

size_t gonames_each(Elf *elf, gonames_found *found, void *arg)
{
	struct gopclntab table = { 0 };
	GElf_Shdr head;
	Elf_Scn *scn = find_section(elf, &head);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf)
		return 0;
	table.bytes = data->d_buf;
	table.size = data->d_size;
	gopclntab_read(&table, found, arg);
	return table.size;
}

size_t gonames_take(struct symbols *symbols, Elf *elf)
{
	struct taking taking = { .symbols = symbols, .elf = elf };

	return gonames_each(elf, take_function, &taking);
}
