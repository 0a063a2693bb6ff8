// SPDX-License-Identifier: MIT
/*
 * The entries of the procedure linkage tables, through which a program calls
 * other objects: the table has no symbols, but each entry jumps through a slot
 * of the GOT, and the relocation of that slot has a name.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elfs.h"
#include "prof.h"

#define ENDBR_SIZE	4

/* A word of the GOT that the loader fills in. */
struct slot {
	uint64_t address;
	const char *name;
	uint64_t plus;
	bool has_plus;
};

struct tables {
	Elf *elf;
	unsigned int machine;
	uint64_t got;		/* what %ebx has on i386 */
	struct slot *slots;	/* by address */
	size_t nr;
	Elf_Scn *lazy;		/* the relocations of lazy entries */
};

/* One table, and the last entry found in it; the end of that is not known yet. */
struct table {
	struct symbols *symbols;
	const unsigned char *bytes;
	size_t size;
	uint64_t address;
	size_t last;
	bool any;
};

static uint32_t get_word(const unsigned char *from)
{
	uint32_t number;

	memcpy(&number, from, sizeof(number));
	return number;
}

static bool is_irelative(unsigned int machine, uint64_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_IRELATIVE;
	case EM_386:
		return type == R_386_IRELATIVE;
	case EM_AARCH64:
		return type == R_AARCH64_IRELATIVE;
	default:
		return false;
	}
}

/* The word at an address of a 32-bit program. */
static uint64_t word_at(Elf *elf, uint64_t address)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	Elf_Data *data;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) || head.sh_type == SHT_NOBITS ||
		    !(head.sh_flags & SHF_ALLOC) ||
		    address - head.sh_addr >= head.sh_size)
			continue;
		data = elf_rawdata(scn, NULL);
		address -= head.sh_addr;
		if (!data || !data->d_buf || data->d_size < 4 ||
		    address > data->d_size - 4)
			return 0;
		return get_word((const unsigned char *)data->d_buf + address);
	}
	return 0;
}

static bool get_rela(Elf_Data *data, const GElf_Shdr *head, int i,
		     GElf_Rela *rela)
{
	GElf_Rel rel;

	if (head->sh_type == SHT_RELA)
		return gelf_getrela(data, i, rela);
	if (!gelf_getrel(data, i, &rel))
		return false;
	*rela = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

static void add_slot(struct tables *tables, const GElf_Shdr *head,
		     const GElf_Rela *rela)
{
	struct slot slot = { .address = rela->r_offset };
	Elf_Scn *scn = elf_getscn(tables->elf, head->sh_link);
	uint64_t nr = GELF_R_SYM(rela->r_info);
	GElf_Shdr table;
	GElf_Sym sym;

	if (nr) {
		if (!scn || !gelf_getshdr(scn, &table) ||
		    !gelf_getsym(elf_getdata(scn, NULL), (int)nr, &sym))
			return;
		slot.name = elf_strptr(tables->elf, table.sh_link, sym.st_name);
		if (!slot.name || !*slot.name)
			return;
	} else {
		if (!is_irelative(tables->machine, GELF_R_TYPE(rela->r_info)))
			return;
		slot.name = "*ABS*";
		slot.has_plus = true;
		slot.plus = head->sh_type == SHT_RELA ?
			    (uint64_t)rela->r_addend :
			    word_at(tables->elf, slot.address);
	}
	tables->slots = more(tables->slots, tables->nr, sizeof(slot));
	tables->slots[tables->nr++] = slot;
}

static void read_slots(struct tables *tables, Elf_Scn *scn,
		       const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;
	int i;

	for (i = 0; data && get_rela(data, head, i, &rela); i++)
		add_slot(tables, head, &rela);
}

static int by_address(const void *one, const void *two)
{
	const struct slot *a = one, *b = two;

	return a->address < b->address ? -1 : a->address > b->address;
}

static const struct slot *find_slot(const struct tables *tables,
				    uint64_t address)
{
	struct slot key = { .address = address };

	return tables->nr ? bsearch(&key, tables->slots, tables->nr,
				    sizeof(key), by_address) : NULL;
}

static void close_entry(struct table *table, size_t at)
{
	struct symbol *last;

	if (!table->any)
		return;
	last = &table->symbols->list[table->last];
	last->end = table->address + at;
	last->size = (uint32_t)least_of(last->end - last->start, UINT32_MAX);
}

/* Replaces an entry of no bytes, which stands where a table begins with a jump. */
static void add_entry(struct table *table, size_t at, const struct slot *slot)
{
	if (table->any &&
	    table->symbols->list[table->last].start == table->address + at)
		table->symbols->nr = table->last;
	else
		close_entry(table, at);
	table->last = table->symbols->nr;
	table->any = true;
	symbols_add(table->symbols, (struct symbol){
		.start = table->address + at,
		.name = slot->name,
		.plus = slot->plus,
		.has_plus = slot->has_plus,
		.is_plt = slot->address,
		.rank = slot->address ? 1 : 0,
	});
}

/* Where the entry of a jump begins: endbr and bnd come before it. */
static size_t jump_start(const struct table *table, size_t at)
{
	const unsigned char *bytes = table->bytes;

	if (at && bytes[at - 1] == 0xf2)
		at--;
	if (at >= ENDBR_SIZE &&
	    (get_word(bytes + at - ENDBR_SIZE) & 0xfeffffff) == 0xfa1e0ff3)
		at -= ENDBR_SIZE;
	return at;
}

/* jmp *slot, or the number of a lazy entry that is pushed behind endbr. */
static const struct slot *x86_slot(const struct tables *tables,
				   const struct table *table, size_t at)
{
	const unsigned char *code = table->bytes + at;
	size_t left = table->size - at;
	GElf_Shdr head;
	GElf_Rela rela;
	int32_t number;

	if (left >= 6 && code[0] == 0xff) {
		number = (int32_t)get_word(code + 2);
		if (code[1] == 0xa3 && tables->machine == EM_386)
			return find_slot(tables, (uint32_t)(tables->got +
							    (uint32_t)number));
		if (code[1] != 0x25)
			return NULL;
		if (tables->machine == EM_386)
			return find_slot(tables, (uint32_t)number);
		return find_slot(tables, table->address + at + 6 +
					 (uint64_t)(int64_t)number);
	}
	if (left >= 5 && code[0] == 0x68 && jump_start(table, at) != at &&
	    tables->lazy && gelf_getshdr(tables->lazy, &head)) {
		number = (int32_t)get_word(code + 1);
		if (tables->machine == EM_386)
			number /= (int32_t)sizeof(Elf32_Rel);
		if (number >= 0 &&
		    get_rela(elf_getdata(tables->lazy, NULL), &head, number,
			     &rela))
			return find_slot(tables, rela.r_offset);
	}
	return NULL;
}

static void read_x86(const struct tables *tables, struct table *table)
{
	const struct slot *slot;
	size_t at;

	for (at = 0; at < table->size; at++) {
		slot = x86_slot(tables, table, at);
		if (!slot)
			continue;
		add_entry(table, jump_start(table, at), slot);
		at += 4;
	}
}

/* adrp x16, page; ldr x17, [x16, offset]; perhaps behind bti c. */
static void read_aarch64(const struct tables *tables, struct table *table)
{
	size_t at;

	for (at = 0; at + 8 <= table->size; at += 4) {
		uint32_t adrp = get_word(table->bytes + at);
		uint32_t ldr = get_word(table->bytes + at + 4);
		uint64_t page = (table->address + at) & ~4095ull;
		const struct slot *slot;
		size_t start = at;

		if ((adrp & 0x9f00001f) != 0x90000010 ||
		    (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		page += (uint64_t)((int64_t)((uint64_t)adrp << 40) >> 43 &
				   ~3ll) * 4096;
		page += (uint64_t)(adrp >> 29 & 3) * 4096;
		slot = find_slot(tables,
				 page + (uint64_t)(ldr >> 10 & 4095) * 8);
		if (!slot)
			continue;
		if (start >= 4 &&
		    get_word(table->bytes + start - 4) == 0xd503245f)
			start -= 4;
		add_entry(table, start, slot);
	}
}

static void read_table(const struct tables *tables, struct symbols *symbols,
		       Elf_Scn *scn, const GElf_Shdr *head, const char *name)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	const struct slot whole = { .name = name };
	struct table table = { .symbols = symbols, .address = head->sh_addr };

	if (!data || !data->d_buf || !data->d_size ||
	    head->sh_addr + data->d_size <= head->sh_addr)
		return;
	table.bytes = data->d_buf;
	table.size = data->d_size;
	/* The way to the loader, in front of the entries. */
	add_entry(&table, 0, &whole);
	if (tables->machine == EM_AARCH64)
		read_aarch64(tables, &table);
	else
		read_x86(tables, &table);
	close_entry(&table, table.size);
}

static void read_got(struct tables *tables, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Dyn dyn;
	int i;

	for (i = 0; data && gelf_getdyn(data, i, &dyn); i++)
		if (dyn.d_tag == DT_PLTGOT)
			tables->got = dyn.d_un.d_ptr;
}

void plt_read(struct symbols *symbols, Elf *elf)
{
	struct tables tables = { .elf = elf };
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	const char *name;
	GElf_Shdr head;
	size_t names;

	if (!gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names) != 0)
		return;
	tables.machine = ehdr.e_machine;
	if (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_386 &&
	    ehdr.e_machine != EM_AARCH64)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) || !(head.sh_flags & SHF_ALLOC))
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (head.sh_type == SHT_DYNAMIC)
			read_got(&tables, scn);
		if (head.sh_type != SHT_REL && head.sh_type != SHT_RELA)
			continue;
		read_slots(&tables, scn, &head);
		if (name && (!strcmp(name, ".rela.plt") ||
			     !strcmp(name, ".rel.plt")))
			tables.lazy = scn;
	}
	if (tables.nr)
		qsort(tables.slots, tables.nr, sizeof(*tables.slots),
		      by_address);
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) || head.sh_type != SHT_PROGBITS ||
		    !(head.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (name && (!strncmp(name, ".plt", 4) ||
			     !strncmp(name, ".iplt", 5)))
			read_table(&tables, symbols, scn, &head, name);
	}
	free(tables.slots);
}
