/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An object's table, and this machine's part of the walk by it.
 */
#ifndef _PROFIL_UNWIND_OBJECT_H
#define _PROFIL_UNWIND_OBJECT_H

#include <linux/uaccess.h>

#include "observe/unwind/unwind.h"

/*
 * The walk reads below this address alone.  It does not ask access_ok(), which
 * lets a thread with set_fs() read the kernel's memory.
 */
#define PROFIL_UNWIND_LIMIT	PROFIL_COMPAT_USER_END
#define PROFIL_UNWIND_ARM64	IS_ENABLED(CONFIG_ARM64)
#define PROFIL_UNWIND_READ(word, at, label) \
	unsafe_get_user(word, (u64 __user *)(at), label)

#include "observe/unwind/check.h"
#include "observe/unwind/step.h"

struct profil_object {
	refcount_t ref;
	struct profil_unwind_view view;
	struct profil_charge charge;
	struct profil_unwind_table table;
};

/* The object of PROFIL_UNWIND_FRAME_POINTERS. */
extern const struct profil_object profil_frame_pointers;

#endif /* _PROFIL_UNWIND_OBJECT_H */
