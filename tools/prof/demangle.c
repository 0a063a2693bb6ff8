// SPDX-License-Identifier: MIT
/*
 * Readable names of functions that a compiler made from C++ or Rust.  The names
 * are the program's, and may be made to hurt.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include "prof.h"

#define TEXT_MAX	(1u << 20)	/* a short name can stand for more */
#define MANGLED_MAX	4096		/* the recursion is as deep as it is long */

static struct {
	jmp_buf full;
	size_t used;
	char text[TEXT_MAX + 1];
} readable;

static void collect_part(const char *part, size_t len, void *unused)
{
	(void)unused;
	if (len > TEXT_MAX - readable.used)
		longjmp(readable.full, 1);
	memcpy(readable.text + readable.used, part, len);
	readable.used += len;
}

/* Makes the name readable, if there is room. */
static bool make_readable(const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;

	if (strnlen(name, MANGLED_MAX + 1) > MANGLED_MAX ||
	    setjmp(readable.full) != 0)
		return false;
	readable.used = 0;
	/* The older names of Rust are those of C++ with a hash. */
	if (!rust_demangle_callback(name, DMGL_PARAMS, collect_part, NULL)) {
		readable.used = 0;
		if (!cplus_demangle_v3_callback(name, options, collect_part,
						NULL))
			return false;
	}
	readable.text[readable.used] = '\0';
	return true;
}

const char *demangle(const char *name)
{
	return make_readable(name) ? readable.text : name;
}
