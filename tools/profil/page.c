// SPDX-License-Identifier: MIT
/* Writing a page: its data compressed, so that a large profile is a small file. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "page.h"
#include "util.h"

/* page.S: the text of page.html */
extern const char page_text[];

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else
			fputc(*text, out);
	}
}

static void put_base64(FILE *out, const unsigned char *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, left;
	uint32_t bits;

	for (i = 0; i < size; i += 3) {
		left = size - i;
		bits = data[i] << 16 | (left > 1 ? data[i + 1] << 8 : 0) |
		       (left > 2 ? data[i + 2] : 0);
		fputc(digits[bits >> 18], out);
		fputc(digits[bits >> 12 & 63], out);
		fputc(left > 1 ? digits[bits >> 6 & 63] : '=', out);
		fputc(left > 2 ? digits[bits & 63] : '=', out);
	}
}

static unsigned char *compress_gzip(const char *data, size_t size,
				    size_t *length)
{
	z_stream z = { 0 };
	unsigned char *out;

	if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY))
		die(STATUS_USAGE, "out of memory");
	*length = deflateBound(&z, size);
	out = xmalloc(*length);
	z.next_in = (unsigned char *)data;
	z.avail_in = size;
	z.next_out = out;
	z.avail_out = *length;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		die(STATUS_USAGE, "the picture's data can't be compressed");
	*length = z.total_out;
	deflateEnd(&z);
	return out;
}

void page_begin(struct page *page)
{
	page->memory = open_memstream(&page->data, &page->size);
	if (!page->memory)
		die(STATUS_USAGE, "out of memory");
}

static void put_data(FILE *out, const struct page *page)
{
	unsigned char *packed;
	size_t length;

	packed = compress_gzip(page->data, page->size, &length);
	put_base64(out, packed, length);
	free(packed);
}

/* The text has the places "@TITLE@", "@HEAD@" and "@DATA@". */
void page_print(struct page *page, FILE *out)
{
	const char *from = page_text, *at;

	if (fclose(page->memory) || page->size > UINT32_MAX)
		die(STATUS_USAGE, "the profile is too large for a picture");
	while ((at = strchr(from, '@'))) {
		fwrite(from, 1, at - from, out);
		from = at + 1;
		if (!strncmp(at, "@TITLE@", 7)) {
			put_escaped(out, *page->title ? page->title : "profil");
			from = at + 7;
		} else if (!strncmp(at, "@HEAD@", 6)) {
			put_escaped(out, page->head);
			from = at + 6;
		} else if (!strncmp(at, "@DATA@", 6)) {
			put_data(out, page);
			from = at + 6;
		} else {
			fputc('@', out);
		}
	}
	fputs(from, out);
	free(page->data);
}
