// SPDX-License-Identifier: MIT
/* The process, thread and cgroup that the labels of a sample name. */
#include "owner.h"

static const char *string_of(struct model *m, const struct sample *sample,
			     const char *key, const char *otherwise)
{
	const struct label *label = sample_label(sample, key);

	return label && label->str ? label->str : model_string(m, otherwise);
}

const char *owner_program(struct model *m, const struct sample *sample)
{
	return string_of(m, sample, LABEL_PROGRAM, "[unknown]");
}

const char *owner_cgroup(struct model *m, const struct sample *sample)
{
	return string_of(m, sample, LABEL_CGROUP, CGROUP_OF_PROFIL);
}

struct owner owner_of(struct model *m, const struct sample *sample)
{
	const struct label *pid = sample_label(sample, LABEL_PID);
	const struct label *tid = sample_label(sample, LABEL_TID);
	struct owner owner = {
		.program = owner_program(m, sample),
		.pid = pid ? pid->num : 0,
	};

	owner.tid = tid ? tid->num : owner.pid;
	if (tid)
		owner.time = model_find_thread(m, owner.pid, owner.tid,
					       owner.program);
	owner.thread = owner.time ? owner.time->name :
		       string_of(m, sample, LABEL_THREAD, owner.program);
	return owner;
}
