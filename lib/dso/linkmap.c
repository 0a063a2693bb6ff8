// SPDX-License-Identifier: MIT
/* What the dynamic loader has loaded, copied out while it holds still. */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "dso/dso.h"

#define ELF_DYN		ElfW(Dyn)
#define ELF_PHDR	ElfW(Phdr)

#define OBJECTS_MAX	4096u

/*
 * gprof leaves out a call if one of its ends has no name.  So one from
 * other text is given the name of what the loader runs in this object.
 */
static uintptr_t outside_text(const struct dl_phdr_info *info,
			      const ELF_PHDR *dynamic, uintptr_t low)
{
	const ELF_DYN *dyn;
	uintptr_t init = 0, fini = 0;

	if (!dynamic)
		return low;
	dyn = (const ELF_DYN *)(info->dlpi_addr + dynamic->p_vaddr);
	for (; dyn->d_tag != DT_NULL; dyn++) {
		if (dyn->d_tag == DT_INIT)
			init = dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_FINI)
			fini = dyn->d_un.d_ptr;
	}
	if (init)
		return init;
	return fini ? fini : low;
}

static bool is_vdso(const struct dl_phdr_info *info)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	int i;

	for (i = 0; vdso && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			return info->dlpi_addr + info->dlpi_phdr[i].p_vaddr ==
			       vdso;
	return false;
}

static bool find_text(const struct dl_phdr_info *info, struct profil_seen *seen)
{
	const ELF_PHDR *dynamic = NULL;
	int i;

	seen->bias = info->dlpi_addr;
	seen->low = UINTPTR_MAX;
	seen->high = 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ELF_PHDR *phdr = &info->dlpi_phdr[i];

		if (phdr->p_type == PT_DYNAMIC)
			dynamic = phdr;
		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X))
			continue;
		if (phdr->p_vaddr < seen->low)
			seen->low = phdr->p_vaddr;
		if (phdr->p_vaddr + phdr->p_memsz > seen->high)
			seen->high = phdr->p_vaddr + phdr->p_memsz;
	}
	if (seen->low >= seen->high)
		return false;
	seen->outside = outside_text(info, dynamic, seen->low);
	return true;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct profil_linkmap *map = arg;
	struct profil_seen seen = { .known = NULL };
	/* The program is the first; not every loader leaves it nameless. */
	const char *name = map->wanted ? info->dlpi_name : "";
	size_t len;

	if (!map->wanted && size >= offsetof(struct dl_phdr_info, dlpi_subs) +
				sizeof(info->dlpi_subs)) {
		map->same = map->adds && map->adds == info->dlpi_adds &&
			    map->subs == info->dlpi_subs;
		if (map->same)
			return 1;
		map->adds = info->dlpi_adds;
		map->subs = info->dlpi_subs;
	}
	if (is_vdso(info) || !find_text(info, &seen))
		return 0;
	len = strlen(name) + 1;
	map->wanted += sizeof(seen) + len;
	if (map->nr == OBJECTS_MAX ||
	    sizeof(seen) + len >
	    (size_t)(map->names - (char *)(map->seen + map->nr))) {
		map->left_out++;
		return 0;
	}
	map->names -= len;
	seen.name = memcpy(map->names, name, len);
	map->seen[map->nr++] = seen;
	return 0;
}

static void look_once(struct profil_linkmap *map)
{
	map->names = (char *)map->seen + map->size;
	map->nr = 0;
	map->wanted = 0;
	map->left_out = 0;
	map->same = false;
	dl_iterate_phdr(note_object, map);
}

/* Where there is no room for more, the first are taken. */
static bool grow_map(struct profil_linkmap *map)
{
	size_t page = profil_page_size();
	size_t size = (map->wanted + page) & -page;
	void *new = profil_map(size, 0);

	if (!new)
		return false;
	if (map->seen)
		munmap(map->seen, map->size);
	map->seen = new;
	map->size = size;
	return true;
}

bool profil_linkmap_look(struct profil_linkmap *map)
{
	if (!map->seen && !grow_map(map))
		return false;
	look_once(map);
	/* Another thread may load more meanwhile. */
	while (map->left_out && map->nr < OBJECTS_MAX && grow_map(map)) {
		map->adds = 0;
		look_once(map);
	}
	return !map->same;
}

static int first_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	return find_text(info, arg) ? 1 : -1;
}

bool profil_linkmap_program(struct profil_seen *seen)
{
	return dl_iterate_phdr(first_object, seen) == 1;
}
