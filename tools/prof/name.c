// SPDX-License-Identifier: MIT
/*
 * The names of functions as they are printed, without what would control a
 * terminal.
 */
#include <stdio.h>

#include "prof.h"

#define TEXT_MAX	(1u << 20)	/* a readable name is no longer */

/* Bytes of the character in UTF-8, or 0 for what is not printed as it is. */
static size_t printable_bytes(const unsigned char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 :
		     text[0] < 0xf0 ? 3 : 4;
	uint32_t code = text[0] & (len == 1 ? 0x7f : 0xff >> (len + 1));
	size_t i;

	/* No character begins so, and a terminal of 8 bits may obey it. */
	if (text[0] >= 0x80 && (text[0] < 0xc2 || text[0] > 0xf4))
		return 0;
	for (i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[len])
		return 0;
	/* Controls; marks that turn the direction, and that can't be seen. */
	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000) || code == 0x61c ||
	    (code >= 0x200b && code <= 0x200f) ||
	    (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2060 && code <= 0x206f) || code == 0xfeff)
		return 0;
	return len;
}

void text_print(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t left = TEXT_MAX, len;

	for (; *at && left; left--) {
		len = printable_bytes(at);
		if (len)
			fwrite(at, 1, len, out);
		else
			fprintf(out, "\\x%02x", *at);
		at += len ? len : 1;
	}
	if (*at)
		fputs("...", out);
}

void name_print(FILE *out, const struct symbol *symbol, bool raw)
{
	text_print(out, raw ? symbol->name : demangle(symbol->name));
	if (symbol->has_plus)
		fprintf(out, "+%#llx", (unsigned long long)symbol->plus);
	if (symbol->is_plt)
		fputs("@plt", out);
}
