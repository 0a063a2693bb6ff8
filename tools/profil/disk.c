// SPDX-License-Identifier: MIT
/* Finding the file that ran, and no other. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"
#include "util.h"

/* Allocated hexadecimal of the file's build id; "" without one. */
static char *build_id_of(int fd)
{
	const unsigned char *bytes;
	char *text = NULL;
	const void *id;
	ssize_t size, i;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return xstrdup("");
	size = elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (size > 0 && size <= 64) {
		text = xcalloc(2 * size + 1, 1);
		bytes = id;
		for (i = 0; i < size; i++)
			snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	}
	elf_end(elf);
	return text ? text : xstrdup("");
}

static char *differs(const struct model *m, const struct mapping *mapping,
		     int fd, const struct stat *st)
{
	char *id = build_id_of(fd), *why = NULL;

	if (strcmp(id, mapping->build_id) != 0)
		why = xasprintf("%s is not the file that ran: its build id is %s, that of the profile %s",
				mapping->path, *id ? id : "missing",
				*mapping->build_id ? mapping->build_id :
						     "missing");
	else if (!*id && m->time_ns > 0 &&
		 st->st_mtime > m->time_ns / 1000000000)
		why = xasprintf("%s was written after the profile, and has no build id that shows it to be the file that ran",
				mapping->path);
	free(id);
	return why;
}

int disk_open(const struct model *m, const struct mapping *mapping, char **why)
{
	struct stat st;
	int fd;

	*why = NULL;
	if (*mapping->path != '/') {
		*why = xasprintf("%s is not a file",
				 *mapping->path ? mapping->path :
						  "what has no mapping");
		return -1;
	}
	/* Neither a FIFO nor a device may make this wait. */
	fd = open(mapping->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		*why = xasprintf("%s can't be read: %s", mapping->path,
				 strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		*why = xasprintf("%s is not a regular file", mapping->path);
	else
		*why = differs(m, mapping, fd, &st);
	if (!*why)
		return fd;
	close(fd);
	return -1;
}

bool disk_address(Elf *elf, uint64_t offset, uint64_t *address)
{
	size_t nr, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD ||
		    offset < ph.p_offset ||
		    offset - ph.p_offset >= ph.p_filesz)
			continue;
		*address = offset - ph.p_offset + ph.p_vaddr;
		return true;
	}
	return false;
}
