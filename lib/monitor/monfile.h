/* SPDX-License-Identifier: MIT */
/*
 * The file mon.out, which libprofil writes and prof reads; see monitor(3).
 *
 * All in the byte order of the machine, the same for 32-bit and 64-bit
 * programs: one struct profil_monfile, ncnt struct profil_moncount, nbins
 * counters, and nothing behind them.  Addresses are the linker's.
 */
#ifndef LIBPROFIL_MONFILE_H
#define LIBPROFIL_MONFILE_H

#include <stdint.h>

#define PROFIL_MONFILE_MAGIC	"mon.out"	/* 8 bytes with the 0 */
#define PROFIL_MONFILE_VERSION	1

struct profil_monfile {
	char magic[8];
	uint32_t version;
	uint32_t word;		/* bytes of an address in the program: 4, 8 */
	uint64_t lowpc;		/* lowest pc */
	uint64_t highpc;	/* just above the highest */
	uint64_t ncnt;		/* struct profil_moncount that follow */
	uint64_t nbins;		/* counters that follow these */
	uint32_t scale;		/* bytes of counters for 65536 of text */
	uint32_t width;		/* bytes a counter: 2, 4 or 8 */
	uint32_t hz;		/* samples a second */
	uint32_t reserved;	/* 0 */
};

/* Several may have the same pc, or lie in the same function: they add up. */
struct profil_moncount {
	uint64_t pc;		/* in the function that was called */
	uint64_t calls;
};

#endif /* LIBPROFIL_MONFILE_H */
