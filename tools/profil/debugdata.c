// SPDX-License-Identifier: MIT
/*
 * The section .gnu_debugdata: symbols as a small ELF file, compressed by xz.
 *
 * elfutils unpacks it too, but without a limit, and a few hostile kilobytes
 * unpack to any size.
 */
#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "debug.h"
#include "util.h"

#define UNPACKED_MAX	(64u << 20)
#define LZMA_MEMORY	(64u << 20)

static Elf_Data *section_of(Elf *elf, const char *wanted)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr head;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) || head.sh_type != SHT_PROGBITS ||
		    head.sh_flags & SHF_COMPRESSED ||
		    head.sh_size > UNPACKED_MAX)
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (name && !strcmp(name, wanted))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

/* Unpacks into more and more room, because xz says the size at its end. */
static void *unpack_section(const Elf_Data *data, size_t *size)
{
	size_t room = 4 * data->d_size + 4096, from, to;
	uint64_t memory;
	void *out;
	lzma_ret ret;

	for (;;) {
		if (room > UNPACKED_MAX)
			room = UNPACKED_MAX;
		out = xmalloc(room);
		from = 0;
		to = 0;
		memory = LZMA_MEMORY;
		ret = lzma_stream_buffer_decode(&memory, 0, NULL, data->d_buf,
						&from, data->d_size, out, &to,
						room);
		if (ret == LZMA_OK) {
			*size = to;
			return out;
		}
		free(out);
		if (ret != LZMA_BUF_ERROR || room == UNPACKED_MAX)
			return NULL;
		room *= 4;
	}
}

Elf *debug_unpack(Elf *elf, void **memory)
{
	Elf_Data *data = elf ? section_of(elf, ".gnu_debugdata") : NULL;
	size_t size;

	*memory = data && data->d_buf && data->d_size ?
		  unpack_section(data, &size) : NULL;
	if (!*memory)
		return NULL;
	return elf_memory(*memory, size);
}
