// SPDX-License-Identifier: MIT
/* Exporting to pprof's format, for a store that looks names up by build id. */
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "export.h"
#include "pprof.h"
#include "util.h"

/* Locations at one address become one, whatever names they had. */
static struct model *without_names(const struct model *m)
{
	struct model *bare = model_new();
	const struct sample *sample;
	uint32_t *ids, *locations, id;
	size_t i, j;

	bare->command = model_string(bare, m->command);
	bare->books = m->books;
	bare->time_ns = m->time_ns;
	bare->duration_ns = m->duration_ns;
	bare->rate = m->rate;
	for (i = 0; i < m->nr_comments; i++)
		model_comment(bare, m->comments[i]);
	/* Their numbers stay. */
	for (id = 1; id <= m->nr_mappings; id++)
		model_mapping(bare, &m->mappings[id]);
	ids = xcalloc(m->nr_locations + 1, sizeof(*ids));
	for (id = 1; id <= m->nr_locations; id++)
		ids[id] = model_location(bare, m->locations[id].mapping,
					 m->locations[id].address);
	for (i = 0; i < m->nr_samples; i++) {
		sample = &m->samples[i];
		locations = xcalloc(sample->nr_locations + 1,
				    sizeof(*locations));
		for (j = 0; j < sample->nr_locations; j++)
			locations[j] = ids[sample->locations[j]];
		model_sample(bare, locations, sample->nr_locations,
			     sample->labels, sample->nr_labels, sample->count,
			     sample->ns);
		free(locations);
	}
	free(ids);
	return bare;
}

void export_pprof(struct model *m, bool names, FILE *out)
{
	struct model *bare = names ? NULL : without_names(m);
	unsigned char *data;
	size_t size, done = 0;
	gzFile file;
	int fd, part;

	data = pprof_encode(bare ? bare : m, &size);
	fflush(out);
	fd = dup(fileno(out));
	file = fd < 0 ? NULL : gzdopen(fd, "wb");
	if (!file)
		die(STATUS_USAGE, "out of memory");
	for (; done < size; done += part) {
		part = size - done > 1 << 20 ? 1 << 20 : size - done;
		if (gzwrite(file, data + done, part) != part)
			break;
	}
	if (gzclose(file) != Z_OK || done < size)
		die(STATUS_USAGE, "the output can't be written");
	free(data);
	model_free(bare);
}
