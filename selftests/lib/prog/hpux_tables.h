/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many instructions share a counter, from HP-UX sprofil(2): by scale, for
 * 16, 32 and 64-bit counters.
 */
#define HALF	2
#define QUARTER	1

struct row {
	unsigned int scale;
	unsigned int quarters[3];	/* of an instruction */
};

static const struct row pa_risc[] = {
	{ 2, { 4 * 16384, 4 * 32768, 4 * 65536 } },
	{ 4, { 4 * 8192, 4 * 16384, 4 * 32768 } },
	{ 8, { 4 * 4096, 4 * 8192, 4 * 16384 } },
	{ 16, { 4 * 2048, 4 * 4096, 4 * 8192 } },
	{ 32, { 4 * 1024, 4 * 2048, 4 * 4096 } },
	{ 64, { 4 * 512, 4 * 1024, 4 * 2048 } },
	{ 128, { 4 * 256, 4 * 512, 4 * 1024 } },
	{ 256, { 4 * 128, 4 * 256, 4 * 512 } },
	{ 512, { 4 * 64, 4 * 128, 4 * 256 } },
	{ 1024, { 4 * 32, 4 * 64, 4 * 128 } },
	{ 2048, { 4 * 16, 4 * 32, 4 * 64 } },
	{ 4096, { 4 * 8, 4 * 16, 4 * 32 } },
	{ 8192, { 4 * 4, 4 * 8, 4 * 16 } },
	{ 16384, { 4 * 2, 4 * 4, 4 * 8 } },
	{ 32768, { 4 * 1, 4 * 2, 4 * 4 } },
	{ 65536, { HALF, 4 * 1, 4 * 2 } },
	{ 131072, { QUARTER, HALF, 4 * 1 } },
};

/* Of bundles, for only they have an address. */
static const struct row itanium[] = {
	{ 2, { 4 * 4096, 4 * 8192, 4 * 16384 } },
	{ 4, { 4 * 2048, 4 * 4096, 4 * 8192 } },
	{ 8, { 4 * 1024, 4 * 2048, 4 * 4096 } },
	{ 16, { 4 * 512, 4 * 1024, 4 * 2048 } },
	{ 32, { 4 * 256, 4 * 512, 4 * 1024 } },
	{ 64, { 4 * 128, 4 * 256, 4 * 512 } },
	{ 128, { 4 * 64, 4 * 128, 4 * 256 } },
	{ 256, { 4 * 32, 4 * 64, 4 * 128 } },
	{ 512, { 4 * 16, 4 * 32, 4 * 64 } },
	{ 1024, { 4 * 8, 4 * 16, 4 * 32 } },
	{ 2048, { 4 * 4, 4 * 8, 4 * 16 } },
	{ 4096, { 4 * 2, 4 * 4, 4 * 8 } },
	{ 8192, { 4 * 1, 4 * 2, 4 * 4 } },
	{ 16384, { HALF, 4 * 1, 4 * 2 } },
	{ 32768, { QUARTER, HALF, 4 * 1 } },
};

static const struct machine {
	const char *name;
	unsigned int bytes;		/* an instruction */
	unsigned int nr_rows;
	const struct row *rows;
} machines[] = {
	{ "PA-RISC", 4, sizeof(pa_risc) / sizeof(*pa_risc), pa_risc },
	{ "Itanium", 16, sizeof(itanium) / sizeof(*itanium), itanium },
};
