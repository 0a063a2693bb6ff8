// SPDX-License-Identifier: MIT
/*
 * Binds the mcount of loaded objects to this library's.
 *
 * An object that was opened with RTLD_DEEPBIND finds the C library's mcount
 * before this one, as one does in a program that has the library from
 * libprofil.a.  The word that holds the address is changed then, before the
 * object's constructors run.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "dso/dso.h"
#include "dynamic.h"

#if defined(__LP64__)
#define TYPE_OF		ELF64_R_TYPE
#else
#define TYPE_OF		ELF32_R_TYPE
#endif

#if defined(__x86_64__)
#define RELOC_WORD	R_X86_64_64
#define RELOC_DATA	R_X86_64_GLOB_DAT
#define RELOC_CALL	R_X86_64_JUMP_SLOT
#elif defined(__i386__)
#define RELOC_WORD	R_386_32
#define RELOC_DATA	R_386_GLOB_DAT
#define RELOC_CALL	R_386_JMP_SLOT
#else
#define RELOC_WORD	R_AARCH64_ABS64
#define RELOC_DATA	R_AARCH64_GLOB_DAT
#define RELOC_CALL	R_AARCH64_JUMP_SLOT
#endif

/* mcount.S: what a program's symbols of these names can't stand in for. */
extern HIDDEN const char profil_here_mcount[];
#if !defined(__aarch64__)
extern HIDDEN const char profil_here_fentry[];
#endif

#pragma weak dlsym
#pragma weak dlerror

/* profil_counters, as the C library has them, and as the loader finds them first. */
static uintptr_t others[PROFIL_COUNTERS], firsts[PROFIL_COUNTERS];

void profil_dso_find_others(void)
{
	static bool found;
	int i;

	if (found || !dlsym)
		return;
	for (i = 0; i < PROFIL_COUNTERS; i++) {
		firsts[i] = (uintptr_t)dlsym(RTLD_DEFAULT, profil_counters[i]);
		others[i] = (uintptr_t)dlsym(RTLD_NEXT, profil_counters[i]);
	}
	/* musl would tell the program of what is not there. */
	if (!others[2] && dlerror)
		dlerror();
	found = true;
}

static bool is_found_first(const char *name, uintptr_t address)
{
	int i;

	for (i = 0; i < PROFIL_COUNTERS; i++)
		if (!strcmp(name, profil_counters[i]) && firsts[i] == address)
			return true;
	return false;
}

static uintptr_t own_address(const char *name)
{
#if !defined(__aarch64__)
	if (!strcmp(name, "__fentry__"))
		return (uintptr_t)profil_here_fentry;
#endif
	(void)name;
	return (uintptr_t)profil_here_mcount;
}

/* Pages that the loader made read-only when it had filled them in. */
static bool is_relro(const struct dl_phdr_info *info, uintptr_t address)
{
	uintptr_t page = profil_page_size();
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uintptr_t end = start + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO &&
		    address >= (start & -page) && address < (end & -page))
			return true;
	}
	return false;
}

static bool store_slot(const struct dl_phdr_info *info, uintptr_t *slot,
		       uintptr_t value)
{
	uintptr_t page = profil_page_size();
	void *first = (void *)((uintptr_t)slot & -page);
	bool relro = is_relro(info, (uintptr_t)slot);

	if (relro && mprotect(first, page, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (relro)
		mprotect(first, page, PROT_READ);
	return true;
}

/* False: what is called there is not this library's, and stays. */
static bool bind_one(const struct dl_phdr_info *info, const char *name,
		     const ELF_REL *reloc)
{
	uintptr_t *slot = (uintptr_t *)(info->dlpi_addr + reloc->r_offset);
	uintptr_t value = own_address(name);
	uintptr_t now;

	switch (TYPE_OF(reloc->r_info)) {
	case RELOC_WORD:
	case RELOC_DATA:
	case RELOC_CALL:
		break;
	default:
		/* In text, relative to the caller. */
		return !dlsym || is_found_first(name, value);
	}
	now = __atomic_load_n(slot, __ATOMIC_RELAXED);
	if (now == value)
		return true;
	if (now && (now == others[0] || now == others[1] ||
		    now == others[2]))
		return store_slot(info, slot, value);
	/* Not looked up yet. */
	if (TYPE_OF(reloc->r_info) == RELOC_CALL && profil_object_has(info, now))
		return store_slot(info, slot, value);
	return false;
}

struct binding {
	const struct dl_phdr_info *info;
	bool all;
};

static void bind_next(void *arg, const ELF_REL *reloc, const char *name)
{
	struct binding *binding = arg;

	binding->all &= bind_one(binding->info, name, reloc);
}

static uintptr_t object_text(const struct dl_phdr_info *info)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    info->dlpi_phdr[i].p_flags & PF_X)
			return info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	return 0;
}

static int bind_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct profil_object *object = profil_objects_at(object_text(info));
	struct binding binding = { .info = info, .all = true };
	struct profil_dynamic dynamic;

	(void)size;
	(void)arg;
	if (!object || object->bound)
		return 0;
	object->bound = true;
	if (profil_dynamic_read(info, &dynamic))
		profil_dynamic_counts(&dynamic, bind_next, &binding);
	if (!binding.all)
		object->elsewhere = true;
	return 0;
}

void profil_dso_bind(void)
{
	struct profil_object *object;

	dl_iterate_phdr(bind_object, NULL);
	for (object = profil_objects; object; object = object->next) {
		if (object->elsewhere)
			profil_report("%s: its calls are not counted: they are told to another mcount",
				      *object->path ? object->path :
						      "the program");
		object->elsewhere = false;
	}
}
