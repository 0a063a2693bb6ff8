// SPDX-License-Identifier: MIT
/* Opening the program, and its separate debug file: elfutils. */
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "elfs.h"
#include "prof.h"

static char *debug_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

/* What is compressed elfutils would unpack, to whatever size it has. */
static int open_elf(const char *program)
{
	Elf_Kind kind;
	size_t size;
	Elf *elf;
	int fd;

	fd = input_open(program, &size);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	kind = elf_kind(elf);
	elf_end(elf);
	if (kind != ELF_K_ELF) {
		close(fd);
		die("%s: not an ELF file", program);
	}
	return fd;
}

/* Addresses are the linker's: no load address is added. */
Dwfl_Module *program_open(const char *program)
{
	int fd = open_elf(program);
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;

	if (!dwfl)
		die("%s", dwfl_errmsg(-1));
	module = dwfl_report_elf(dwfl, program, program, fd, 0, true);
	if (!module) {
		close(fd);
		die("%s: %s", program, dwfl_errmsg(-1));
	}
	dwfl_report_end(dwfl, NULL, NULL);
	return module;
}

void program_read(struct symbols *symbols, Elf *elf, const char *program)
{
	static const uint16_t one = 1;
	int little = *(const unsigned char *)&one;
	GElf_Phdr segment;
	GElf_Ehdr head;
	size_t nr, i;

	if (!elf)
		die("%s: %s", program, dwfl_errmsg(-1));
	if (!gelf_getehdr(elf, &head) || elf_getphdrnum(elf, &nr) != 0)
		die("%s: %s", program, elf_errmsg(-1));
	/* To libelf a table that is not there is one without sections. */
	if (elf_getshdrnum(elf, &i) != 0 || i < head.e_shnum)
		die("%s: cut short or damaged: no section headers at %#llx",
		    program, (unsigned long long)head.e_shoff);
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		die("%s: neither a program nor a shared library", program);
	if (head.e_ident[EI_DATA] != (little ? ELFDATA2LSB : ELFDATA2MSB))
		die("%s: for a machine of the other byte order", program);
	symbols->word = head.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	symbols->low = UINT64_MAX;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) ||
		    segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		if (segment.p_vaddr < symbols->low)
			symbols->low = segment.p_vaddr;
		if (segment.p_vaddr + segment.p_memsz > symbols->high)
			symbols->high = segment.p_vaddr + segment.p_memsz;
	}
}
