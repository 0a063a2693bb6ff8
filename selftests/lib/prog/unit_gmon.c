// SPDX-License-Identifier: GPL-2.0-only
/* gmon.out: counters beyond 16 bits, and a link or a FIFO of that name. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

void write_big(uintptr_t low, uintptr_t high, uintptr_t pc_one,
	       uintptr_t pc_two)
{
	struct profil_gmon gmon = { .bin_text = 2, .width = 4, .hz = 100 };
	struct profil_arc *slot = &unit_arcs.slots[3];
	char name[64];
	uint32_t *bins;

	gmon.low = low & -2UL;
	gmon.high = (high + 1) & -2UL;
	bins = calloc(profil_gmon_bins(&gmon), 4);
	gmon.hist = bins;
	bins[(pc_one - gmon.low) / 2] = 300000;
	bins[(pc_two - gmon.low) / 2] = 100000;
	unit_arcs_reset(64);
	gmon.arcs = unit_arcs;
	gmon.arcs.low = low;
	slot->key = (uint64_t)(pc_one - low + 8) << 32 | (pc_two - low + 4);
	slot->count[0] = 5;
	slot->count[1] = 1;
	unit_arcs.wiped->original = 1;
	tested(profil_gmon_write(&gmon, name, sizeof(name)) == 0 &&
	       !strcmp(name, "gmon.out"), "gmon.out: written");
	free(bins);
}

void test_file(void)
{
	struct profil_gmon gmon = { .bin_text = 4, .width = 2, .hz = 100,
				    .low = LOW, .high = LOW + 16 };
	uint16_t bins[4] = { 1, 2, 3, 4 };
	char name[64];

	unit_arcs_reset(64);
	unit_arcs.wiped->original = 1;
	gmon.arcs = unit_arcs;
	gmon.hist = bins;
	setenv("GMON_OUT_PREFIX", "dir/link", 1);
	mkdir("dir", 0700);
	snprintf(name, sizeof(name), "dir/link.%d", (int)getpid());
	if (symlink("target", name) != 0)
		abort();
	tested(profil_gmon_write(&gmon, name, sizeof(name)) == 0 &&
	       !strcmp(name, "gmon.out") && access("dir/target", F_OK) != 0,
	       "gmon.out: a link is not followed, the plain name serves");
	unsetenv("GMON_OUT_PREFIX");
	unlink("gmon.out");
	if (mkfifo("gmon.out", 0600) != 0)
		abort();
	tested(profil_gmon_write(&gmon, name, sizeof(name)) != 0,
	       "gmon.out: a FIFO is an error, and does not hang");
	unlink("gmon.out");
	if (symlink("/dev/full", "gmon.out") != 0)
		abort();
	tested(profil_gmon_write(&gmon, name, sizeof(name)) != 0 &&
	       errno == ELOOP, "gmon.out: a link is an error");
	unlink("gmon.out");
}
