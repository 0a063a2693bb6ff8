// SPDX-License-Identifier: MIT
/* profil html: one file with a picture of the profile, for any browser. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "commands.h"
#include "head.h"
#include "lines.h"
#include "pprof.h"
#include "tree.h"
#include "util.h"

#define OUT_DEFAULT	"profil.html"

/* page.S */
extern const char page[];

static const char usage[] =
	"usage: profil html [-i FILE] [-o OUT]\n"
	"\n"
	"Writes a picture of the profile: one HTML file, which needs no network.\n"
	"\n"
	"  -i FILE        the profile (" PPROF_DEFAULT ")\n"
	"  -o OUT         the file to write (" OUT_DEFAULT "); - for standard output\n"
	"  --no-lines     do not read DWARF for lines and inlined functions\n"
	"  --help         this text\n";

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

static void put_data(FILE *out, struct model *m)
{
	unsigned char *packed;
	char *json = NULL;
	size_t size, length;
	FILE *memory;

	memory = open_memstream(&json, &size);
	if (!memory)
		die(STATUS_USAGE, "out of memory");
	tree_json(m, memory);
	if (fclose(memory) || size > UINT32_MAX)
		die(STATUS_USAGE, "the profile is too large for a picture");
	packed = compress_gzip(json, size, &length);
	put_base64(out, packed, length);
	free(packed);
	free(json);
}

/* The page, its places "@TITLE@", "@HEAD@" and "@DATA@" filled in. */
static void put_page(FILE *out, struct model *m, time_t written)
{
	char *head = head_text(m, written);
	const char *from = page, *at;
	char *title = text_safe(m->command);

	while ((at = strchr(from, '@'))) {
		fwrite(from, 1, at - from, out);
		from = at + 1;
		if (!strncmp(at, "@TITLE@", 7)) {
			put_escaped(out, *title ? title : "profil");
			from = at + 7;
		} else if (!strncmp(at, "@HEAD@", 6)) {
			put_escaped(out, head);
			from = at + 6;
		} else if (!strncmp(at, "@DATA@", 6)) {
			put_data(out, m);
			from = at + 6;
		} else {
			fputc('@', out);
		}
	}
	fputs(from, out);
	free(title);
	free(head);
}

static void write_file(const char *path, struct model *m, time_t written)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	int fd = mkstemp(temporary), ret = 0;
	FILE *out;

	if (fd < 0)
		die(STATUS_USAGE, "can't write %s: %s; choose a place with -o",
		    path, strerror(errno));
	out = fdopen(fd, "w");
	if (!out)
		die(STATUS_USAGE, "out of memory");
	put_page(out, m, written);
	if (ferror(out) | fclose(out) || rename(temporary, path))
		ret = errno ? errno : EIO;
	if (ret) {
		unlink(temporary);
		die(STATUS_USAGE, "can't write %s: %s; choose a place with -o",
		    path, strerror(ret));
	}
	free(temporary);
	puts(path);
}

int cmd_html(int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "no-lines", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *file = PPROF_DEFAULT, *path = OUT_DEFAULT;
	bool dwarf = true;
	struct model *m;
	time_t written;
	int opt;

	while ((opt = getopt_long(argc, argv, "i:o:h", options, NULL)) != -1) {
		switch (opt) {
		case 'i':
			file = optarg;
			break;
		case 'o':
			path = optarg;
			break;
		case 'l':
			dwarf = false;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return STATUS_USAGE;
		}
	}
	if (optind < argc)
		die(STATUS_USAGE,
		    "html takes no argument %s: name the profile with -i, the picture with -o",
		    argv[optind]);
	m = pprof_read(file, &written);
	if (dwarf)
		lines_resolve(m, false);
	if (strcmp(path, "-") != 0)
		write_file(path, m, written);
	else
		put_page(stdout, m, written);
	output_done(stdout);
	model_free(m);
	return 0;
}
