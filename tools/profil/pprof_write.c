// SPDX-License-Identifier: MIT
/* Writing a profile's file, so that a name always has a whole one. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "pprof.h"
#include "proto.h"
#include "util.h"

static void put_type(struct model *m, struct out *out, unsigned int field,
		     const char *type, const char *unit)
{
	struct out message = { 0 };

	out_field(&message, TYPE_TYPE, model_string_nr(model_string(m, type)));
	out_field(&message, TYPE_UNIT, model_string_nr(model_string(m, unit)));
	out_message(out, field, &message);
	free(message.data);
}

static void put_sample(struct out *out, const struct sample *sample)
{
	struct out message = { 0 }, list = { 0 };
	const struct label *label;
	size_t i;

	for (i = 0; i < sample->nr_locations; i++)
		out_number(&list, sample->locations[i]);
	out_message(&message, SAMPLE_LOCATION, &list);
	out_number(&list, sample->count);
	out_number(&list, sample->ns);
	out_message(&message, SAMPLE_VALUE, &list);
	for (i = 0; i < sample->nr_labels; i++) {
		label = &sample->labels[i];
		out_field(&list, LABEL_FIELD_KEY, model_string_nr(label->key));
		if (label->str)
			out_field(&list, LABEL_FIELD_STR,
				  model_string_nr(label->str));
		else
			out_field(&list, LABEL_FIELD_NUM, label->num);
		out_message(&message, SAMPLE_LABEL, &list);
	}
	out_message(out, PROFILE_SAMPLE, &message);
	free(message.data);
	free(list.data);
}

static void put_location(const struct model *m, struct out *out, uint32_t id,
			 unsigned int *has)
{
	const struct location *loc = &m->locations[id];
	struct out message = { 0 }, list = { 0 };
	const struct line *line;
	size_t i;

	out_field(&message, LOCATION_ID, id);
	out_field(&message, LOCATION_MAPPING, loc->mapping);
	out_field(&message, LOCATION_ADDRESS, loc->address);
	for (i = 0; i < loc->nr_lines; i++) {
		line = &loc->lines[i];
		out_field(&list, LINE_FUNCTION, line->function);
		out_field(&list, LINE_LINE, line->line);
		out_message(&message, LOCATION_LINE, &list);
		has[loc->mapping] |= 1U << MAPPING_HAS_FUNCTIONS;
		if (line->line)
			has[loc->mapping] |= 1U << MAPPING_HAS_LINES;
		if (*m->functions[line->function].file)
			has[loc->mapping] |= 1U << MAPPING_HAS_FILES;
		if (i)
			has[loc->mapping] |= 1U << MAPPING_HAS_INLINE;
	}
	out_message(out, PROFILE_LOCATION, &message);
	free(message.data);
	free(list.data);
}

static void put_mapping(struct out *out, uint32_t id,
			const struct mapping *mapping, unsigned int has)
{
	struct out message = { 0 };
	unsigned int field;

	out_field(&message, MAPPING_ID, id);
	out_field(&message, MAPPING_START, mapping->start);
	out_field(&message, MAPPING_LIMIT, mapping->limit);
	out_field(&message, MAPPING_OFFSET, mapping->offset);
	out_field(&message, MAPPING_PATH, model_string_nr(mapping->path));
	out_field(&message, MAPPING_BUILD_ID,
		  model_string_nr(mapping->build_id));
	/* Readers look no names up where the file has them. */
	for (field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINE;
	     field++)
		out_field(&message, field, has >> field & 1);
	out_message(out, PROFILE_MAPPING, &message);
	free(message.data);
}

static void put_function(struct out *out, uint32_t id,
			 const struct function *function)
{
	struct out message = { 0 };

	out_field(&message, FUNCTION_ID, id);
	out_field(&message, FUNCTION_NAME, model_string_nr(function->name));
	out_field(&message, FUNCTION_SYSTEM_NAME,
		  model_string_nr(function->system_name));
	out_field(&message, FUNCTION_FILE, model_string_nr(function->file));
	out_field(&message, FUNCTION_START_LINE, function->start_line);
	out_message(out, PROFILE_FUNCTION, &message);
	free(message.data);
}

struct comments {
	struct model *m;
	struct out *out;
};

static void put_comment(void *context, const char *text)
{
	struct comments *c = context;

	/* Never left out, though it were the string 0. */
	out_number(c->out, PROFILE_COMMENT << 3);
	out_number(c->out, model_string_nr(model_string(c->m, text)));
}

unsigned char *pprof_encode(struct model *m, size_t *size)
{
	unsigned int *has = xcalloc(m->nr_mappings + 1, sizeof(*has));
	struct out out = { 0 };
	struct comments comments = { m, &out };
	uint32_t id;
	size_t i;

	put_type(m, &out, PROFILE_SAMPLE_TYPE, "samples", "count");
	put_type(m, &out, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
	for (i = 0; i < m->nr_samples; i++)
		put_sample(&out, &m->samples[i]);
	for (id = 1; id <= m->nr_locations; id++)
		put_location(m, &out, id, has);
	for (id = 1; id <= m->nr_mappings; id++)
		put_mapping(&out, id, &m->mappings[id], has[id]);
	for (id = 1; id <= m->nr_functions; id++)
		put_function(&out, id, &m->functions[id]);
	out_field(&out, PROFILE_TIME, m->time_ns);
	out_field(&out, PROFILE_DURATION, m->duration_ns);
	put_type(m, &out, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
	out_field(&out, PROFILE_PERIOD, pprof_inverse(m->rate));
	books_write(m, put_comment, &comments);
	/* Last, because all above may have added to it. */
	for (i = 0; i < m->nr_texts; i++)
		out_bytes(&out, PROFILE_STRING, m->texts[i],
			  strlen(m->texts[i]));
	free(has);
	*size = out.size;
	return out.data;
}

/* Under sudo the file is the user's that called it. */
static void give_to_user(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");

	if (geteuid() || !uid || !gid)
		return;
	if (fchown(fd, strtoul(uid, NULL, 10), strtoul(gid, NULL, 10)))
		warn("the profile stays root's: %s", strerror(errno));
}

/* 0, or an errno. */
static int fill_file(int fd, const unsigned char *data, size_t size)
{
	gzFile file = gzdopen(fd, "wb");
	unsigned int part;
	size_t done;
	int ret = 0;

	if (!file)
		die(STATUS_USAGE, "out of memory");
	errno = 0;
	for (done = 0; done < size && !ret; done += part) {
		part = size - done > 1 << 20 ? 1 << 20 : size - done;
		if (gzwrite(file, data + done, part) != (int)part)
			ret = errno ? errno : EIO;
	}
	if (gzclose(file) != Z_OK && !ret)
		ret = errno ? errno : EIO;
	return ret;
}

/* Takes the name; 0, or an errno. */
static int publish_file(const char *temporary, const char *path)
{
	char *old = xasprintf("%s.old", path);
	struct stat st;
	bool has_old = !lstat(path, &st) && !S_ISDIR(st.st_mode);
	int ret = 0;

	if (has_old && rename(path, old))
		ret = errno;
	if (!ret && rename(temporary, path)) {
		ret = errno;
		if (has_old)
			rename(old, path);
	}
	free(old);
	return ret;
}

/* 0, or an errno. */
static int write_named(const char *path, const unsigned char *data, size_t size)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	int fd = open_special(path), ret;
	bool in_place = fd >= 0;

	if (!in_place && !errno)
		fd = mkstemp(temporary);
	ret = fd < 0 ? errno : 0;
	if (fd >= 0 && !in_place)
		give_to_user(fd);
	if (!ret)
		ret = fill_file(fd, data, size);
	if (!ret && !in_place)
		ret = publish_file(temporary, path);
	if (ret && fd >= 0 && !in_place)
		unlink(temporary);
	free(temporary);
	return ret;
}

/* Its name, or NULL. */
static char *write_elsewhere(const unsigned char *data, size_t size)
{
	const char *dir = getenv("TMPDIR");
	char *path = xasprintf("%s/profil.XXXXXX.pb.gz",
			       dir && *dir ? dir : "/tmp");
	int fd = mkstemps(path, strlen(".pb.gz")), ret = fd < 0 ? errno : 0;

	if (!ret) {
		give_to_user(fd);
		ret = fill_file(fd, data, size);
		if (ret)
			unlink(path);
	}
	if (!ret)
		return path;
	warn("can't write the profile %s: %s", path, strerror(ret));
	free(path);
	return NULL;
}

char *pprof_write(struct model *m, const char *path)
{
	size_t size;
	unsigned char *data = pprof_encode(m, &size);
	char *other;
	int ret;

	if (size > PPROF_MAX)
		warn("the profile has %zu MiB unpacked, and profil reads %lu: record fewer processes, or at a lower -r",
		     size >> 20, PPROF_MAX >> 20);
	/* A reader that goes, or a limit, is an error as others are. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	ret = write_named(path, data, size);
	other = ret ? write_elsewhere(data, size) : xstrdup(path);
	if (ret)
		warn("can't write the profile %s: %s; %s%s; choose a place with -o",
		     path, strerror(ret), other ? "it is in " : "it is lost",
		     other ? other : "");
	free(data);
	return other;
}
