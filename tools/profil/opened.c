// SPDX-License-Identifier: MIT
/* Opening an object for libdw, which looks for the debug file on this machine. */
#include <stdlib.h>
#include <unistd.h>

#include "debug.h"
#include "disk.h"
#include "opened.h"
#include "util.h"

/* The object that is opened, for the call back. */
static const struct mapping *current;

static int find_debug(Dwfl_Module *module, void **user, const char *name,
		      Dwarf_Addr base, const char *file, const char *link,
		      GElf_Word checksum, char **found)
{
	int fd = dwfl_standard_find_debuginfo(module, user, name, base, file,
					      link, checksum, found);
	GElf_Addr bias;

	/* A name without a checksum is that of what dwz took out of several. */
	if (fd >= 0 || (link && !checksum))
		return fd;
	return debug_open(current->path, current->build_id,
			  dwfl_module_getelf(module, &bias));
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug,
	.section_address = dwfl_offline_section_address,
};

static bool begin_dwfl(struct opened *opened)
{
	int fd = dup(opened->fd);
	GElf_Addr bias;

	opened->dwfl = dwfl_begin(&callbacks);
	if (opened->dwfl && fd >= 0)
		opened->module = dwfl_report_offline(opened->dwfl,
						     current->path,
						     current->path, fd);
	/* A descriptor that libdw took is libdw's to close. */
	if (!opened->module && fd >= 0)
		close(fd);
	if (!opened->module || dwfl_report_end(opened->dwfl, NULL, NULL))
		return false;
	opened->elf = dwfl_module_getelf(opened->module, &bias);
	return opened->elf;
}

bool opened_begin(struct opened *opened, const struct model *m,
		  const struct mapping *mapping, char **why)
{
	*opened = (struct opened){ 0 };
	current = mapping;
	opened->fd = disk_open(m, mapping, why);
	if (opened->fd < 0 && *mapping->path == '/') {
		opened->is_debug = true;
		opened->fd = debug_open(mapping->path, mapping->build_id, NULL);
	}
	if (opened->fd < 0)
		return false;
	free(*why);
	*why = NULL;
	if (begin_dwfl(opened))
		return true;
	opened_end(opened);
	return false;
}

void opened_end(struct opened *opened)
{
	if (opened->dwfl)
		dwfl_end(opened->dwfl);
	close(opened->fd);
}
