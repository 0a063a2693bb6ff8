// SPDX-License-Identifier: MIT
/* Preloaded: counts calls of libdw, and prints their numbers at the end. */
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>

static unsigned long nr_symbols, nr_lines;

const char *dwfl_module_getsym_info(Dwfl_Module *module, int number,
				    GElf_Sym *sym, GElf_Addr *address,
				    GElf_Word *section, Elf **elf,
				    Dwarf_Addr *bias)
{
	__typeof__(dwfl_module_getsym_info) *real;

	real = dlsym(RTLD_NEXT, "dwfl_module_getsym_info");
	nr_symbols++;
	return real(module, number, sym, address, section, elf, bias);
}

Dwarf_Line *dwarf_getsrc_die(Dwarf_Die *unit, Dwarf_Addr address)
{
	__typeof__(dwarf_getsrc_die) *real = dlsym(RTLD_NEXT, "dwarf_getsrc_die");

	nr_lines++;
	return real(unit, address);
}

static void __attribute__((destructor)) print_calls(void)
{
	if (nr_symbols)
		fprintf(stderr, "dwfl_module_getsym_info %lu\n", nr_symbols);
	if (nr_lines)
		fprintf(stderr, "dwarf_getsrc_die %lu\n", nr_lines);
}
