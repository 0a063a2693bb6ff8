// SPDX-License-Identifier: MIT
/*
 * Finding the debug file of an object.
 *
 * An object says itself what its debug file is called, and may be hostile.  So
 * the name may not lead out of a directory, and the file must be the object's
 * own.
 */
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "debug.h"
#include "fetch.h"
#include "object.h"
#include "util.h"

#define SYSTEM_DIR	"/usr/lib/debug"
#define LINKED_MAX	(1ll << 30)	/* bytes that a checksum is made of */

static const char *searched;
static bool may_fetch;

void debug_search(const char *directory)
{
	struct stat st;

	if (stat(directory, &st) || !S_ISDIR(st.st_mode))
		die(STATUS_USAGE, "--debug-dir %s: there is no such directory",
		    directory);
	searched = directory;
}

const char *debug_searched(void)
{
	return searched;
}

void debug_may_fetch(bool may)
{
	may_fetch = may;
	if (may)
		fetch_prepare();
}

char *debug_build_id(Elf *elf)
{
	const unsigned char *bytes;
	const void *id;
	ssize_t size, i;
	char *text;

	size = elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (size <= 0 || size > 64)
		return xstrdup("");
	text = xcalloc(2 * size + 1, 1);
	bytes = id;
	for (i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

static int open_if(char *path)
{
	int fd = object_open(-1, path, 0);

	free(path);
	return fd;
}

static bool has_build_id(int fd, const char *build_id)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	char *id = elf ? debug_build_id(elf) : xstrdup("");
	bool same = !strcmp(id, build_id);

	free(id);
	elf_end(elf);
	return same;
}

/* Closes what is not the wanted one. */
static int keep_if(int fd, bool wanted)
{
	if (wanted || fd < 0)
		return fd;
	close(fd);
	return -1;
}

static int by_build_id(const char *directory, const char *id)
{
	int fd = open_if(xasprintf("%s/.build-id/%.2s/%s.debug", directory, id,
				   id + 2));

	return keep_if(fd, fd >= 0 && has_build_id(fd, id));
}

static bool has_checksum(int fd, GElf_Word wanted)
{
	static unsigned char bytes[1 << 16];
	uLong sum = crc32(0, NULL, 0);
	struct stat st;
	off_t at = 0;
	ssize_t size;

	if (fstat(fd, &st) || st.st_size > LINKED_MAX)
		return false;
	while ((size = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		sum = crc32(sum, bytes, (uInt)size);
		at += size;
	}
	return !size && sum == wanted;
}

struct link {
	const char *build_id;
	const char *name;
	GElf_Word checksum;
};

static int open_linked(char *path, const struct link *link)
{
	int fd = open_if(path);

	return keep_if(fd, fd >= 0 &&
			   (link->build_id ? has_build_id(fd, link->build_id) :
					     has_checksum(fd, link->checksum)));
}

/* Where gdb looks, too. */
static int by_link(const char *path, const struct link *link)
{
	const char *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) : 0, fd = -1;

	if (path[0] != '/' || strlen(path) > PATH_MAX)
		return -1;
	if (searched)
		fd = open_linked(xasprintf("%s%.*s/%s", searched, length, path,
					   link->name), link);
	if (fd < 0 && searched)
		fd = open_linked(xasprintf("%s/%s", searched, link->name),
				 link);
	if (fd < 0)
		fd = open_linked(xasprintf("%.*s/%s", length, path, link->name),
				 link);
	if (fd < 0)
		fd = open_linked(xasprintf("%.*s/.debug/%s", length, path,
					   link->name), link);
	if (fd < 0)
		fd = open_linked(xasprintf(SYSTEM_DIR "%.*s/%s", length, path,
					   link->name), link);
	return fd;
}

static bool is_id(const char *text)
{
	return text && strlen(text) >= 4 &&
	       strspn(text, "0123456789abcdef") == strlen(text);
}

int debug_open(const char *path, const char *build_id, Elf *elf)
{
	struct link link = { .build_id = is_id(build_id) ? build_id : NULL };
	char *below;
	int fd = -1;

	elf_version(EV_CURRENT);
	if (link.build_id && searched) {
		fd = by_build_id(searched, build_id);
		below = xasprintf("%s" SYSTEM_DIR, searched);
		if (fd < 0)
			fd = by_build_id(below, build_id);
		free(below);
	}
	if (link.build_id && fd < 0)
		fd = by_build_id(SYSTEM_DIR, build_id);
	if (fd < 0 && elf)
		link.name = dwelf_elf_gnu_debuglink(elf, &link.checksum);
	if (link.name && *link.name && !strchr(link.name, '/') &&
	    strcmp(link.name, "..") != 0)
		fd = by_link(path, &link);
	if (fd >= 0 || !link.build_id || !may_fetch)
		return fd;
	fd = fetch_debug(path, build_id);
	return keep_if(fd, fd >= 0 && has_build_id(fd, build_id));
}
