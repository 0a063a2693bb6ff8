/* SPDX-License-Identifier: GPL-2.0-only */
/* What a dialect has handed to the kernel that regions.c stands in for. */
#ifndef REGIONS_H
#define REGIONS_H

#include <stdint.h>
#include <profil/ioctl.h>

#define REGIONS_MAX	1024

extern struct profil_region set_regions[REGIONS_MAX];
extern unsigned int set_nr;

/* The address of the counter of a pc, or 0. */
uint64_t set_counter(uint64_t pc);

#endif /* REGIONS_H */
