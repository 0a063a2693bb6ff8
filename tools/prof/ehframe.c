// SPDX-License-Identifier: MIT
/*
 * The entries of .eh_frame, which a stripped program has too, because exceptions
 * need it, or of .debug_frame.  They have the bounds of functions.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "elfs.h"
#include "prof.h"

struct section {
	Elf_Data *data;
	uint64_t address;
	unsigned int word;
	size_t first_common;	/* in the entries */
};

/* Bytes of a pointer, or 0 if it has no fixed number of them. */
static size_t width_of(unsigned char encoding, unsigned int word)
{
	switch (encoding & 7) {
	case DW_EH_PE_absptr:
		return word;
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata8:
		return 8;
	default:
		return 0;
	}
}

/* The encoding that letter R of the augmentation stands for. */
static unsigned char encoding_of(const Dwarf_CIE *cie, unsigned int word)
{
	const unsigned char *at = cie->augmentation_data;
	const unsigned char *end = at + cie->augmentation_data_size;
	const char *letter = cie->augmentation;

	if (*letter != 'z')
		return *letter ? DW_EH_PE_omit : DW_EH_PE_absptr;
	while (*++letter) {
		if (*letter == 'S' || *letter == 'B')
			continue;
		if (!at || at == end)
			return DW_EH_PE_omit;
		if (*letter == 'R')
			return *at;
		if (*letter == 'P') {
			size_t width = width_of(*at, word);

			if (!width || width >= (size_t)(end - at))
				return DW_EH_PE_omit;
			at += width;
		} else if (*letter != 'L') {
			return DW_EH_PE_omit;
		}
		at++;
	}
	return DW_EH_PE_absptr;
}

static size_t find_common(const struct entries *entries, size_t low,
			  Dwarf_Off offset)
{
	size_t high = entries->nr_commons;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (entries->commons[middle].offset == offset)
			return middle;
		if (entries->commons[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}

static uint64_t get_value(const unsigned char *from, size_t width,
			  bool is_signed)
{
	uint64_t number = 0;

	memcpy(&number, from, width);
	if (is_signed && width < 8 && number >> (8 * width - 1))
		number |= UINT64_MAX << (8 * width);
	return number;
}

/* Behind the two addresses stand data of the augmentation, then the program. */
static const unsigned char *program_of(const Dwarf_CIE *cie,
				       const unsigned char *at,
				       const unsigned char *end)
{
	uint64_t size = 0;
	unsigned int shift = 0;

	if (cie->augmentation[0] != 'z')
		return at;
	while (at < end && shift < 32) {
		size |= (uint64_t)(*at & 0x7f) << shift;
		shift += 7;
		if (!(*at++ & 0x80))
			return size <= (uint64_t)(end - at) ? at + size : end;
	}
	return end;
}

static void add_entry(struct entries *entries, const struct section *section,
		      const Dwarf_FDE *fde)
{
	size_t common = find_common(entries, section->first_common,
				    fde->CIE_pointer), width;
	struct entry entry = { .common = common, .end_program = fde->end };
	unsigned char encoding, base;

	if (common == SIZE_MAX)
		return;
	encoding = entries->commons[common].encoding;
	base = encoding & 0x70;
	width = width_of(encoding, section->word);
	if (encoding == DW_EH_PE_omit || encoding & DW_EH_PE_indirect ||
	    !width || (base != DW_EH_PE_pcrel && base != DW_EH_PE_absptr) ||
	    (size_t)(fde->end - fde->start) < 2 * width)
		return;
	entry.start = get_value(fde->start, width, encoding & DW_EH_PE_signed);
	if (base == DW_EH_PE_pcrel)
		entry.start += section->address + (uint64_t)(fde->start -
			(const unsigned char *)section->data->d_buf);
	if (section->word == 4)
		entry.start = (uint32_t)entry.start;
	entry.end = entry.start + get_value(fde->start + width, width, false);
	if (entry.end <= entry.start)
		return;
	entry.program = program_of(&entries->commons[common].cie,
				   fde->start + 2 * width, fde->end);
	entries->list = more(entries->list, entries->nr,
			     sizeof(*entries->list));
	entries->list[entries->nr++] = entry;
}

static void read_section(struct entries *entries, const struct section *section,
			 const unsigned char *ident, bool eh)
{
	Dwarf_Off at = 0, next;
	Dwarf_CFI_Entry entry;
	int ret;

	/* 1 is an entry that can't be read, or the end. */
	for (; (ret = dwarf_next_cfi(ident, section->data, eh, at, &next,
				     &entry)) >= 0; at = next) {
		if (next == (Dwarf_Off)-1 || next <= at)
			return;
		if (ret > 0)
			continue;
		if (!dwarf_cfi_cie_p(&entry)) {
			add_entry(entries, section, &entry.fde);
			continue;
		}
		entries->commons = more(entries->commons, entries->nr_commons,
					sizeof(*entries->commons));
		entries->commons[entries->nr_commons++] = (struct common){
			.offset = at,
			.encoding = encoding_of(&entry.cie, section->word),
			.cie = entry.cie,
		};
	}
}

/* Spans of text that is not the program's are damaged. */
static void keep_text(struct spans *spans, uint64_t low, uint64_t high)
{
	size_t nr = 0, i;

	for (i = 0; i < spans->nr; i++)
		if (spans->list[i].start >= low && spans->list[i].end <= high)
			spans->list[nr++] = spans->list[i];
	spans->nr = nr;
}

void entries_read(struct entries *entries, Elf *elf, unsigned int word, bool eh)
{
	const char *ident = elf_getident(elf, NULL), *name;
	struct section section = {
		.word = word, .first_common = entries->nr_commons,
	};
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	size_t names;

	if (!ident || elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) || head.sh_type == SHT_NOBITS ||
		    head.sh_flags & SHF_COMPRESSED)
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (!name || strcmp(name, eh ? ".eh_frame" : ".debug_frame") != 0)
			continue;
		section.data = elf_rawdata(scn, NULL);
		section.address = head.sh_addr;
		if (!section.data || !section.data->d_buf)
			continue;
		read_section(entries, &section, (const unsigned char *)ident,
			     eh);
		break;
	}
}

void entries_free(struct entries *entries)
{
	free(entries->list);
	free(entries->commons);
}

void ehframe_read(struct spans *spans, Elf *elf,
		  const struct symbols *symbols)
{
	struct entries entries = { 0 };
	size_t i;

	entries_read(&entries, elf, symbols->word, true);
	for (i = 0; i < entries.nr; i++) {
		spans->list = more(spans->list, spans->nr,
				   sizeof(*spans->list));
		spans->list[spans->nr++] = (struct span){
			entries.list[i].start, entries.list[i].end,
		};
	}
	entries_free(&entries);
	keep_text(spans, symbols->low, symbols->high);
}
