// SPDX-License-Identifier: MIT
/* The numbers that programs of .eh_frame consist of. */
#include <string.h>

#include "cfa_state.h"

uint64_t get_fixed(struct code *code, size_t width)
{
	uint64_t number = 0;

	if ((size_t)(code->end - code->at) < width) {
		code->bad = true;
		return 0;
	}
	memcpy(&number, code->at, width);
	code->at += width;
	return number;
}

/* LEB128, of which bits past 64 are dropped. */
static uint64_t get_leb(struct code *code, bool is_signed)
{
	uint64_t number = 0;
	unsigned int shift = 0;
	unsigned char byte;

	do {
		if (code->at == code->end) {
			code->bad = true;
			return 0;
		}
		byte = *code->at++;
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		number |= UINT64_MAX << shift;
	return number;
}

uint64_t get_long_unsigned(struct code *code)
{
	return get_leb(code, false);
}

int64_t get_signed(struct code *code)
{
	return (int64_t)get_leb(code, true);
}

struct code get_block(struct code *code)
{
	uint64_t size = get_unsigned(code);
	struct code block = { .at = code->at };

	if (size > (uint64_t)(code->end - code->at)) {
		code->bad = true;
		size = 0;
	}
	code->at += size;
	block.end = code->at;
	return block;
}
