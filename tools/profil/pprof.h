/* SPDX-License-Identifier: MIT */
/* The file of a profile: pprof's profile.proto, compressed by gzip. */
#ifndef PROFIL_PPROF_H
#define PROFIL_PPROF_H

#include <stddef.h>
#include <time.h>

#include "model.h"

#define PPROF_DEFAULT	"profil.pb.gz"
#define PPROF_MAX	(128UL << 20)	/* bytes that are read, unpacked */
#define PPROF_FULL	(80UL << 20)	/* size_max of what will be written */

/* The numbers of the fields in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
	PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12, PROFILE_COMMENT = 13, PROFILE_DEFAULT = 14,

	TYPE_TYPE = 1, TYPE_UNIT = 2,

	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,

	LABEL_FIELD_KEY = 1, LABEL_FIELD_STR = 2, LABEL_FIELD_NUM = 3,

	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3,
	MAPPING_OFFSET = 4, MAPPING_PATH = 5, MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINE = 10,

	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,

	LINE_FUNCTION = 1, LINE_LINE = 2,

	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4, FUNCTION_START_LINE = 5,
};

/* The rate of a period in nanoseconds, or the period of a rate. */
static inline uint64_t pprof_inverse(uint64_t number)
{
	return number ? (1000000000 + number / 2) / number : 0;
}

/* books.c: the command and the books as comments. */
void books_write(const struct model *m,
		 void (*comment)(void *context, const char *text),
		 void *context);
/* True if the comment was one of these. */
bool books_read(struct model *m, const char *comment);

/*
 * pprof_write.c: writes the file by way of a temporary one; what has the name
 * becomes NAME.old.  Where the directory can't be written, it goes to $TMPDIR.
 * Returns its allocated path, or NULL after a message.
 */
char *pprof_write(struct model *m, const char *path);
/* The bytes before they are compressed, allocated. */
unsigned char *pprof_encode(struct model *m, size_t *size);

/*
 * pprof_file.c: reads a file of the user's own or root's; what is wrong ends
 * the program: status 1 where it is missing, 2 where it is refused.
 */
struct model *pprof_read(const char *path, time_t *written);

/* pprof_read.c: NULL, and *why, where the bytes are damaged. */
struct model *pprof_decode(const unsigned char *data, size_t size,
			   const char **why);

#endif /* PROFIL_PPROF_H */
