// SPDX-License-Identifier: MIT
/* Call paths: how each ended, as a label of its sample. */
#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "util.h"

const char *const path_end_names[NR_PATH_ENDS] = {
	[PATH_NONE] = "",
	[PATH_WHOLE] = "whole",
	[PATH_CUT] = "cut",
	[PATH_NOT_READABLE] = "not readable",
	[PATH_WILD] = "wild",
	[PATH_UNMAPPED] = "unmapped",
	[PATH_NO_RULE] = "no rule",
	[PATH_NO_TABLES] = "no tables",
	[PATH_NOT_64_BIT] = "not 64-bit",
	[PATH_NO_ROOM] = "no room",
};

void model_path(struct model *m, const uint32_t *locations,
		size_t nr_locations, enum path_end end,
		const struct label *labels, size_t nr_labels, uint64_t count,
		uint64_t ns)
{
	struct label few[LABELS_FEW] = { 0 }, *all = few;

	if (nr_labels >= ARRAY_SIZE(few))
		all = xcalloc(nr_labels + 1, sizeof(*all));
	if (nr_labels)
		memcpy(all, labels, nr_labels * sizeof(*all));
	if (end > PATH_NONE && end < NR_PATH_ENDS)
		all[nr_labels++] = (struct label){
			.key = LABEL_PATH, .str = path_end_names[end],
		};
	model_sample(m, locations, nr_locations, all, nr_labels, count, ns);
	if (all != few)
		free(all);
}

enum path_end sample_path_end(const struct sample *sample)
{
	const struct label *label = sample_label(sample, LABEL_PATH);
	int end;

	if (!label || !label->str)
		return PATH_NONE;
	for (end = PATH_WHOLE; end < NR_PATH_ENDS; end++)
		if (!strcmp(label->str, path_end_names[end]))
			return end;
	return PATH_NONE;
}

bool model_has_paths(const struct model *m)
{
	size_t i;

	if (m->had_paths)
		return true;
	for (i = 0; i < m->nr_samples; i++)
		if (m->samples[i].nr_locations > 1 ||
		    sample_path_end(&m->samples[i]) != PATH_NONE)
			return true;
	return false;
}

bool model_has_path_ends(const struct model *m)
{
	size_t i;

	if (m->had_path_ends)
		return true;
	for (i = 0; i < m->nr_samples; i++)
		if (sample_path_end(&m->samples[i]) != PATH_NONE)
			return true;
	return false;
}

char *path_unseen_callers(const struct sample *sample, bool ends_said)
{
	enum path_end end = sample_path_end(sample);

	if (end > PATH_WHOLE)
		return xasprintf("[path ended: %s]", path_end_names[end]);
	if (end == PATH_NONE && ends_said && sample->nr_locations == 1)
		return xasprintf("[no path]");
	return NULL;
}
