// SPDX-License-Identifier: MIT
/* Finding the file that ran, and no other. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug.h"
#include "disk.h"
#include "util.h"

/* Allocated hexadecimal of the file's build id; "" without one. */
static char *build_id_of(int fd)
{
	char *text;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return xstrdup("");
	text = debug_build_id(elf);
	elf_end(elf);
	return text;
}

static char *what_differs(const struct model *m, const struct mapping *mapping,
			  const char *path, int fd, const struct stat *st)
{
	char *id = build_id_of(fd), *why = NULL;

	if (strcmp(id, mapping->build_id) != 0)
		why = xasprintf("%s is not the file that ran: its build id is %s, that of the profile %s",
				path, *id ? id : "missing",
				*mapping->build_id ? mapping->build_id :
						     "missing");
	else if (!*id && m->time_ns > 0 &&
		 st->st_mtime > m->time_ns / 1000000000)
		why = xasprintf("%s was written after the profile, and has no build id that shows it to be the file that ran",
				path);
	free(id);
	return why;
}

static int open_one(const struct model *m, const struct mapping *mapping,
		    const char *path, char **why)
{
	struct stat st;
	int fd;

	/* Neither a FIFO nor a device may make this wait. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		*why = xasprintf("%s can't be read: %s", path, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		*why = xasprintf("%s is not a regular file", path);
	else
		*why = what_differs(m, mapping, path, fd, &st);
	if (!*why)
		return fd;
	close(fd);
	return -1;
}

/* Below the directory, by the whole path or by its last part. */
static int open_searched(const struct model *m, const struct mapping *mapping)
{
	const char *directory = debug_searched();
	char *path, *why = NULL;
	int fd;

	if (!directory)
		return -1;
	path = xasprintf("%s%s", directory, mapping->path);
	fd = open_one(m, mapping, path, &why);
	free(path);
	free(why);
	if (fd >= 0)
		return fd;
	path = xasprintf("%s%s", directory, strrchr(mapping->path, '/'));
	fd = open_one(m, mapping, path, &why);
	free(path);
	free(why);
	return fd;
}

int disk_open(const struct model *m, const struct mapping *mapping, char **why)
{
	int fd;

	*why = NULL;
	if (*mapping->path != '/') {
		*why = xasprintf("%s is not a file",
				 *mapping->path ? mapping->path :
						  "what has no mapping");
		return -1;
	}
	fd = open_searched(m, mapping);
	return fd < 0 ? open_one(m, mapping, mapping->path, why) : fd;
}

const char *disk_hint(const struct mapping *mapping)
{
	return *mapping->path == '/' ?
	       "; --debug-dir names a directory that has it" : "";
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
