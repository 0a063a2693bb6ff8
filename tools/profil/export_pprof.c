// SPDX-License-Identifier: MIT
/* Exporting to pprof's format, for a store that looks names up by build id. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "copy.h"
#include "export.h"
#include "pprof.h"
#include "util.h"

static struct model *without_names(const struct model *m)
{
	const struct copying how = { .without_names = true };
	struct model *bare = model_new_like(m);
	size_t i;

	model_copy(bare, m, &how);
	bare->books = m->books;
	bare->only = model_string(bare, m->only);
	for (i = 0; i < m->nr_comments; i++)
		model_comment(bare, m->comments[i]);
	for (i = 0; i < m->nr_threads; i++)
		model_thread(bare, &m->threads[i]);
	return bare;
}

static void die_unwritten(void)
{
	die(STATUS_USAGE, "the output can't be written: %s", strerror(errno));
}

void export_pprof(struct model *m, bool names, FILE *out)
{
	struct model *bare = names ? NULL : without_names(m);
	unsigned char *data;
	size_t size, done = 0;
	gzFile file;
	int fd, part;

	data = pprof_encode(bare ? bare : m, &size);
	if (size > PPROF_MAX)
		die(STATUS_USAGE,
		    "the export would have %zu MiB unpacked, and profil reads %lu: export fewer files, or one --process",
		    size >> 20, PPROF_MAX >> 20);
	fflush(out);
	fd = dup(fileno(out));
	if (fd < 0)
		die_unwritten();
	file = gzdopen(fd, "wb");
	if (!file)
		die(STATUS_USAGE, "out of memory");
	errno = 0;
	for (; done < size; done += part) {
		part = size - done > 1 << 20 ? 1 << 20 : size - done;
		if (gzwrite(file, data + done, part) != part)
			break;
	}
	if (gzclose(file) != Z_OK || done < size)
		die_unwritten();
	free(data);
	model_free(bare);
}
