// SPDX-License-Identifier: MIT
/* The failure of a public call: errno, and that the program has asked. */
#include <errno.h>

#include "internal.h"

bool profil_asked;

int profil_fail(int error)
{
	__atomic_store_n(&profil_asked, true, __ATOMIC_RELAXED);
	errno = error;
	return -1;
}
