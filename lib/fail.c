// SPDX-License-Identifier: MIT
/* What the program did: it asked for a profile; a call of it failed. */
#include <errno.h>

#include "internal.h"

bool profil_asked, profil_confined;

int profil_fail(int error)
{
	__atomic_store_n(&profil_asked, true, __ATOMIC_RELAXED);
	errno = error;
	return -1;
}
