// SPDX-License-Identifier: MIT
/*
 * The bounds of functions from .eh_frame, which a stripped program has too,
 * because exceptions need it.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "elfs.h"
#include "prof.h"

/* How the addresses of a common entry (CIE) are written. */
struct common {
	Dwarf_Off offset;
	unsigned char encoding;	/* DW_EH_PE_* */
};

struct section {
	Elf_Data *data;
	uint64_t address;
	unsigned int word;
	struct common *commons;	/* by offset */
	size_t nr_commons;
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

static unsigned char find_encoding(const struct section *section,
				   Dwarf_Off offset)
{
	size_t low = 0, high = section->nr_commons;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (section->commons[middle].offset == offset)
			return section->commons[middle].encoding;
		if (section->commons[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return DW_EH_PE_omit;
}

static uint64_t get(const unsigned char *from, size_t width, bool is_signed)
{
	uint64_t number = 0;

	memcpy(&number, from, width);
	if (is_signed && width < 8 && number >> (8 * width - 1))
		number |= UINT64_MAX << (8 * width);
	return number;
}

static void add_span(struct spans *spans, const struct section *section,
		     const Dwarf_FDE *fde)
{
	unsigned char encoding = find_encoding(section, fde->CIE_pointer);
	size_t width = width_of(encoding, section->word);
	unsigned char base = encoding & 0x70;
	struct span span;

	if (encoding == DW_EH_PE_omit || encoding & DW_EH_PE_indirect ||
	    !width || (base != DW_EH_PE_pcrel && base != DW_EH_PE_absptr) ||
	    (size_t)(fde->end - fde->start) < 2 * width)
		return;
	span.start = get(fde->start, width, encoding & DW_EH_PE_signed);
	if (base == DW_EH_PE_pcrel)
		span.start += section->address + (uint64_t)(fde->start -
			(const unsigned char *)section->data->d_buf);
	if (section->word == 4)
		span.start = (uint32_t)span.start;
	span.end = span.start + get(fde->start + width, width, false);
	if (span.end <= span.start)
		return;
	spans->list = more(spans->list, spans->nr, sizeof(*spans->list));
	spans->list[spans->nr++] = span;
}

static void read_section(struct spans *spans, struct section *section,
			 const unsigned char *ident)
{
	Dwarf_Off at = 0, next;
	Dwarf_CFI_Entry entry;
	int ret;

	/* 1 is an entry that can't be read, or the end. */
	for (; (ret = dwarf_next_cfi(ident, section->data, true, at, &next,
				     &entry)) >= 0; at = next) {
		if (next == (Dwarf_Off)-1 || next <= at)
			return;
		if (ret > 0)
			continue;
		if (!dwarf_cfi_cie_p(&entry)) {
			add_span(spans, section, &entry.fde);
			continue;
		}
		section->commons = more(section->commons, section->nr_commons,
					sizeof(*section->commons));
		section->commons[section->nr_commons++] = (struct common){
			.offset = at,
			.encoding = encoding_of(&entry.cie, section->word),
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

void ehframe_read(struct spans *spans, Elf *elf,
		  const struct symbols *symbols)
{
	const char *ident = elf_getident(elf, NULL);
	Elf_Scn *scn = NULL;
	size_t names;

	if (!ident || elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		struct section section = { .word = symbols->word };
		GElf_Shdr head;
		const char *name;

		if (!gelf_getshdr(scn, &head) || head.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (!name || strcmp(name, ".eh_frame") != 0)
			continue;
		section.data = elf_rawdata(scn, NULL);
		section.address = head.sh_addr;
		if (!section.data || !section.data->d_buf)
			continue;
		read_section(spans, &section, (const unsigned char *)ident);
		break;
	}
	keep_text(spans, symbols->low, symbols->high);
}
