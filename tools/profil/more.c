// SPDX-License-Identifier: MIT
/* What the files that are prof's too call to grow an array. */
#include "util.h"

void *more(void *array, size_t nr, size_t size);

void *more(void *array, size_t nr, size_t size)
{
	return xgrow(array, nr, size);
}
