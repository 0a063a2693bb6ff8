// SPDX-License-Identifier: MIT
/* Which object's text is meant, and at what address the linker thinks it is. */
#define _GNU_SOURCE
#include <link.h>

#include "internal.h"

struct search {
	uintptr_t pc;
	struct profil_text *text;
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct search *search = arg;
	struct profil_text text = {
		.low = UINTPTR_MAX, .first = UINTPTR_MAX,
		.bias = info->dlpi_addr,
	};
	bool found = false;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = text.bias + info->dlpi_phdr[i].p_vaddr;
		uintptr_t bytes = info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (start < text.low)
			text.low = start;
		if (start + bytes > text.high)
			text.high = start + bytes;
		if (info->dlpi_phdr[i].p_flags & PF_X && start < text.first)
			text.first = start;
		if (search->pc - start < bytes)
			found = true;
	}
	if (!found)
		return 0;
	if (text.first == UINTPTR_MAX)
		text.first = text.low;
	*search->text = text;
	return 1;
}

bool profil_text_find(uintptr_t pc, struct profil_text *text)
{
	struct search search = { .pc = pc, .text = text };

	return dl_iterate_phdr(look_at_object, &search);
}

uintptr_t profil_text_low(uintptr_t low, uintptr_t high)
{
	struct profil_text text, other;

	if (high && profil_text_find(high - 1, &text) && low < text.low &&
	    !profil_text_find(low, &other))
		return text.first;
	return low;
}
