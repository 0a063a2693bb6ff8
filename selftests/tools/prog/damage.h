/* SPDX-License-Identifier: MIT */
/* Damage to a file that is the same in each run. */
#ifndef PROFIL_TEST_DAMAGE_H
#define PROFIL_TEST_DAMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t draw_state = 1;

static inline uint32_t draw(uint32_t below)
{
	draw_state = draw_state * 6364136223846793005ull +
		     1442695040888963407ull;
	return (uint32_t)(draw_state >> 33) % below;
}

/* A number that is at an end of some range, of 1 to 8 bytes. */
static inline void put_odd(unsigned char *data, size_t size, uint32_t at)
{
	static const uint64_t odd[] = {
		0, 1, 0x7f, 0xff, 0x7fffffff, 0xffffffff,
		0x7fffffffffffffff, 0xffffffffffffffff,
	};
	uint32_t width = 1u << draw(4);

	if (at + width <= size)
		memcpy(data + at, &odd[draw(8)], width);
}

#endif /* PROFIL_TEST_DAMAGE_H */
