// SPDX-License-Identifier: MIT
/* Text of others, printed so that it can't control a terminal. */
#include <stdlib.h>
#include <string.h>

#include "util.h"

/* Characters that turn the direction of text, or break a line. */
static bool is_misleading(uint32_t c)
{
	return c == 0x061c || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0xfeff;
}

/* The bytes of a character that can be printed; 0 if it can't. */
static size_t printable_bytes(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length, i;
	uint32_t c;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] >= 0xf0 && s[0] < 0xf5)
		length = 4;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		length = 3;
	else if (s[0] >= 0xc2 && s[0] < 0xe0)
		length = 2;
	else
		return 0;
	c = s[0] & (0xff >> (length + 1));
	for (i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ||
	    c < 0xa0 || is_misleading(c))
		return 0;
	return length;
}

size_t text_columns(const char *text)
{
	size_t columns = 0;

	/* Bytes that go on with a character take no column. */
	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}

char *text_begin(const char *text, size_t size)
{
	size_t end = strnlen(text, size), least = end < 3 ? 0 : end - 3;

	/* The end is between two characters, of at most four bytes each. */
	while (end > least && (text[end] & 0xc0) == 0x80)
		end--;
	return xasprintf("%.*s", (int)end, text);
}

size_t text_print(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t columns = 0, length;

	while (*s) {
		length = printable_bytes(s);
		if (length) {
			fwrite(s, 1, length, out);
			s += length;
			columns++;
		} else {
			columns += fprintf(out, "\\x%02x", *s++);
		}
	}
	return columns;
}

char *text_safe(const char *text)
{
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);

	if (!out)
		die(STATUS_USAGE, "out of memory");
	text_print(out, text);
	if (fclose(out))
		die(STATUS_USAGE, "out of memory");
	return copy;
}
