// SPDX-License-Identifier: MIT
/*
 * A library that was replaced is still mapped, and only root may open it by
 * /proc/PID/map_files.  A user may read the memory: it has the build id, the
 * exported symbols and the unwind tables, but no section headers.
 *
 * All of it is another's: each number is checked before it is used.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elffile.h"
#include "image.h"
#include "util.h"

#define IMAGE_MAX	(64ull << 20)
#define PHDRS_MAX	64
#define TEXTS_MAX	8	/* executable segments */
#define BUCKETS_MAX	(1u << 20)
#define EH_FRAME_PCREL	0x1b	/* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */

/* After those of the texts. */
enum { DYNSYM, DYNSTR, EH_FRAME, NAMES, NR_MADE };

struct image {
	unsigned char *bytes;
	uint64_t size;
	uint64_t bias;		/* what is added to the linker's addresses */
	Elf64_Phdr phdrs[PHDRS_MAX];
	unsigned int nr_phdrs;
	Elf64_Shdr sections[1 + TEXTS_MAX + NR_MADE];
	unsigned int nr_texts;
};

static const char made_names[] = "\0.text\0.dynsym\0.dynstr\0.eh_frame\0.shstrtab";
#define TEXT_NAME	1
static const Elf64_Word name_at[NR_MADE] = {
	[DYNSYM] = 7, [DYNSTR] = 15, [EH_FRAME] = 23, [NAMES] = 33,
};

static bool read_phdrs(struct image *image, int mem, uint64_t head)
{
	Elf64_Ehdr ehdr;
	ssize_t size;

	if (pread(mem, &ehdr, sizeof(ehdr), (off_t)head) != sizeof(ehdr) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_phentsize != sizeof(Elf64_Phdr) ||
	    ehdr.e_phnum > PHDRS_MAX || ehdr.e_phoff > IMAGE_MAX)
		return false;
	image->nr_phdrs = ehdr.e_phnum;
	size = (ssize_t)(image->nr_phdrs * sizeof(Elf64_Phdr));
	return pread(mem, image->phdrs, (size_t)size,
		     (off_t)(head + ehdr.e_phoff)) == size;
}

/* What the segments need, and where the linker's addresses are. */
static bool measure_image(struct image *image, uint64_t head)
{
	bool has_head = false;
	unsigned int i;

	for (i = 0; i < image->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &image->phdrs[i];

		if (phdr->p_type != PT_LOAD)
			continue;
		if (phdr->p_offset > IMAGE_MAX || phdr->p_filesz > IMAGE_MAX)
			return false;
		if (!phdr->p_offset) {
			image->bias = head - phdr->p_vaddr;
			has_head = true;
		}
		if (phdr->p_offset + phdr->p_filesz > image->size)
			image->size = phdr->p_offset + phdr->p_filesz;
	}
	return has_head && image->size >= sizeof(Elf64_Ehdr) &&
	       image->size <= IMAGE_MAX;
}

static bool read_segments(struct image *image, int mem)
{
	unsigned int i;

	for (i = 0; i < image->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &image->phdrs[i];

		if (phdr->p_type == PT_LOAD && phdr->p_filesz &&
		    pread(mem, image->bytes + phdr->p_offset, phdr->p_filesz,
			  (off_t)(image->bias + phdr->p_vaddr)) !=
		    (ssize_t)phdr->p_filesz)
			return false;
	}
	return true;
}

/* The segment that has an address; *left is its bytes from there on. */
static const Elf64_Phdr *segment_of(const struct image *image, uint64_t address,
				    uint64_t *left)
{
	unsigned int i;

	for (i = 0; i < image->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &image->phdrs[i];

		if (phdr->p_type != PT_LOAD ||
		    address - phdr->p_vaddr >= phdr->p_filesz)
			continue;
		*left = phdr->p_filesz - (address - phdr->p_vaddr);
		return phdr;
	}
	return NULL;
}

/* The loader may have turned addresses into those of the process. */
static uint64_t without_bias(const struct image *image, uint64_t address)
{
	uint64_t left;

	return segment_of(image, address, &left) ? address :
						   address - image->bias;
}

/* A section with the bytes at an address; false if they are not all there. */
static bool make_section(struct image *image, unsigned int nr,
			 Elf64_Word type, uint64_t address, uint64_t size)
{
	uint64_t left = 0;
	const Elf64_Phdr *phdr = segment_of(image, address, &left);
	Elf64_Shdr *section = &image->sections[1 + image->nr_texts + nr];

	if (!phdr || size > left)
		return false;
	section->sh_name = name_at[nr];
	section->sh_type = type;
	section->sh_flags = SHF_ALLOC;
	section->sh_addr = address;
	section->sh_offset = phdr->p_offset + (address - phdr->p_vaddr);
	section->sh_size = size ? size : left;
	return true;
}

static void make_texts(struct image *image)
{
	unsigned int i;

	for (i = 0; i < image->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &image->phdrs[i];

		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X) ||
		    image->nr_texts == TEXTS_MAX)
			continue;
		image->sections[1 + image->nr_texts++] = (Elf64_Shdr){
			.sh_name = TEXT_NAME,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = phdr->p_vaddr,
			.sh_offset = phdr->p_offset,
			.sh_size = phdr->p_filesz,
			.sh_addralign = 1,
		};
	}
}

/* A word of the hash table; UINT32_MAX behind its segment. */
static uint32_t word_at(const struct image *image, uint64_t address)
{
	uint64_t left = 0;
	const Elf64_Phdr *phdr = segment_of(image, address, &left);
	uint32_t word = UINT32_MAX;

	if (phdr && left >= sizeof(word))
		memcpy(&word, image->bytes + phdr->p_offset +
		       (address - phdr->p_vaddr), sizeof(word));
	return word;
}

/* The last chain of DT_GNU_HASH ends with the last symbol. */
static uint64_t count_symbols(const struct image *image, uint64_t hash)
{
	uint64_t nr_buckets = word_at(image, hash);
	uint64_t first = word_at(image, hash + 4);
	uint64_t buckets = hash + 16 + 8ull * word_at(image, hash + 8);
	uint64_t chains = buckets + 4 * nr_buckets, last = 0, i;
	uint32_t word;

	for (i = 0; i < nr_buckets && i < BUCKETS_MAX; i++) {
		word = word_at(image, buckets + 4 * i);
		if (word == UINT32_MAX)
			return 0;
		if (word > last)
			last = word;
	}
	if (last < first || !last)
		return 0;
	do {
		word = word_at(image, chains + 4 * (last - first));
		last++;
	} while (!(word & 1));
	return last;
}

/* Their sections are those of a file that is not here. */
static void set_sections(struct image *image)
{
	const Elf64_Shdr *table = &image->sections[1 + image->nr_texts + DYNSYM];
	uint64_t at;
	Elf64_Sym sym;
	unsigned int i;

	for (at = 0; at + sizeof(sym) <= table->sh_size; at += sizeof(sym)) {
		unsigned char *place = image->bytes + table->sh_offset + at;
		Elf64_Section shndx = SHN_UNDEF;

		memcpy(&sym, place, sizeof(sym));
		for (i = 1; sym.st_shndx != SHN_UNDEF && i <= image->nr_texts;
		     i++)
			if (sym.st_value - image->sections[i].sh_addr <
			    image->sections[i].sh_size)
				shndx = (Elf64_Section)i;
		sym.st_shndx = shndx;
		memcpy(place, &sym, sizeof(sym));
	}
}

static void make_symbols(struct image *image, const Elf64_Phdr *dynamic)
{
	uint64_t symtab = 0, strtab = 0, strsz = 0, hash = 0, at, nr;
	Elf64_Shdr *section;
	Elf64_Dyn dyn;

	if (dynamic->p_offset > image->size ||
	    dynamic->p_filesz > image->size - dynamic->p_offset)
		return;
	for (at = 0; at + sizeof(dyn) <= dynamic->p_filesz; at += sizeof(dyn)) {
		memcpy(&dyn, image->bytes + dynamic->p_offset + at,
		       sizeof(dyn));
		if (dyn.d_tag == DT_SYMTAB)
			symtab = without_bias(image, dyn.d_un.d_ptr);
		else if (dyn.d_tag == DT_STRTAB)
			strtab = without_bias(image, dyn.d_un.d_ptr);
		else if (dyn.d_tag == DT_STRSZ)
			strsz = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_GNU_HASH)
			hash = without_bias(image, dyn.d_un.d_ptr);
	}
	nr = hash ? count_symbols(image, hash) : 0;
	if (!nr || !strsz || nr > IMAGE_MAX / sizeof(Elf64_Sym) ||
	    !make_section(image, DYNSTR, SHT_STRTAB, strtab, strsz) ||
	    !make_section(image, DYNSYM, SHT_DYNSYM, symtab,
			  nr * sizeof(Elf64_Sym)))
		return;
	section = &image->sections[1 + image->nr_texts + DYNSYM];
	section->sh_link = 1 + image->nr_texts + DYNSTR;
	section->sh_entsize = sizeof(Elf64_Sym);
	set_sections(image);
}

/* Its size stands nowhere; an entry of size 0 ends it. */
static void make_eh_frame(struct image *image, const Elf64_Phdr *head)
{
	uint32_t first = word_at(image, head->p_vaddr);
	int32_t distance = (int32_t)word_at(image, head->p_vaddr + 4);

	if ((first & 0xffff) == (EH_FRAME_PCREL << 8 | 1))
		make_section(image, EH_FRAME, SHT_PROGBITS,
			     head->p_vaddr + 4 + (uint64_t)(int64_t)distance,
			     0);
}

/* The section headers and their names come behind the file's bytes. */
static void add_headers(struct image *image)
{
	unsigned int nr = 1 + image->nr_texts + NR_MADE;
	uint64_t names = (image->size + 7) & ~7ull;
	uint64_t headers = names + ((sizeof(made_names) + 7) & ~7ull);
	Elf64_Ehdr ehdr;

	image->bytes = realloc(image->bytes, headers + nr * sizeof(Elf64_Shdr));
	if (!image->bytes)
		die(STATUS_USAGE, "out of memory");
	image->sections[nr - NR_MADE + NAMES] = (Elf64_Shdr){
		.sh_name = name_at[NAMES], .sh_type = SHT_STRTAB,
		.sh_offset = names, .sh_size = sizeof(made_names),
	};
	memset(image->bytes + image->size, 0, headers - image->size);
	memcpy(image->bytes + names, made_names, sizeof(made_names));
	memcpy(image->bytes + headers, image->sections,
	       nr * sizeof(Elf64_Shdr));
	memcpy(&ehdr, image->bytes, sizeof(ehdr));
	ehdr.e_shoff = headers;
	ehdr.e_shentsize = sizeof(Elf64_Shdr);
	ehdr.e_shnum = (Elf64_Half)nr;
	ehdr.e_shstrndx = (Elf64_Half)(nr - NR_MADE + NAMES);
	memcpy(image->bytes, &ehdr, sizeof(ehdr));
	image->size = headers + nr * sizeof(Elf64_Shdr);
}

void image_read(struct object *object, int mem, uint64_t head)
{
	struct image image = { 0 };
	unsigned int i;

	elffile_read_mapped(object, mem, head);
	if (!object->is_elf || !read_phdrs(&image, mem, head) ||
	    !measure_image(&image, head))
		return;
	image.bytes = xcalloc(image.size, 1);
	if (!read_segments(&image, mem)) {
		free(image.bytes);
		return;
	}
	make_texts(&image);
	for (i = 0; i < image.nr_phdrs; i++) {
		if (image.phdrs[i].p_type == PT_DYNAMIC)
			make_symbols(&image, &image.phdrs[i]);
		else if (image.phdrs[i].p_type == PT_GNU_EH_FRAME)
			make_eh_frame(&image, &image.phdrs[i]);
	}
	add_headers(&image);
	object->memory = image.bytes;
	object->size = image.size;
}
