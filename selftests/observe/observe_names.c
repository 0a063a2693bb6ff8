// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a record says of where its program lies: all of a path, or its end.
 */
#include <linux/limits.h>
#include <sys/stat.h>

#include "exec_test.h"
#include "observe_test.h"

#define RATE	1000

/* Goes down until the path of a program there has this length, and copies this. */
static int make_program(char *path, size_t length)
{
	char name[NAME_MAX + 1], copy[] = "XXXXXX";
	size_t left;

	strcpy(path, "/tmp/XXXXXX");
	if (!mkdtemp(path) || chdir(path) || chmod(path, 0755))
		return -1;
	while ((left = length - strlen(path)) > 100) {
		memset(name, 'd', sizeof(name));
		name[left - 20 < 80 ? left - 20 : 80] = '\0';
		if (mkdir(name, 0755) || chdir(name))
			return -1;
		strcat(strcat(path, "/"), name);
	}
	if (copy_program(copy))
		return -1;
	memset(name, 'p', sizeof(name));
	name[left - 1] = '\0';
	strcat(strcat(path, "/"), name);
	return rename(copy, name);
}

static void expect_path(struct __test_metadata *_metadata, size_t length)
{
	struct observer *o = calloc(1, sizeof(*o));
	char path[PATH_MAX];
	size_t cut;
	uint32_t i, nr = 0;
	pid_t pid;

	ASSERT_NE(NULL, o);
	ASSERT_EQ(0, make_program(path, length));
	ASSERT_EQ(length, strlen(path));
	ASSERT_EQ(0, observe_open(o, RATE, 0));
	pid = fork();
	if (!pid) {
		if (!observe_join(o->fd, 0, 0, 0))
			execl(strrchr(path, '/') + 1, "burn", "burn", NULL);
		_exit(1);
	}
	EXPECT_EQ(0, end_of(pid));
	ASSERT_EQ(0, observe_read(o));
	cut = length < PROFIL_PATH_SIZE ? 0 : length - PROFIL_PATH_SIZE + 1;
	for (i = 0; i < o->nr_images; i++) {
		if (o->image[i].how != PROFIL_IMAGE_EXEC)
			continue;
		nr++;
		EXPECT_STREQ(path + cut, o->image[i].path);
		EXPECT_EQ(cut ? PROFIL_IMAGE_F_PATH_CUT : 0, o->image[i].flags);
		EXPECT_NE(0, o->image[i].ino);
		EXPECT_NE(0, o->image[i].entry);
	}
	EXPECT_EQ(1, nr);
	observe_close(o);
	free(o);
}

TEST(short_path_is_whole)
{
	NEED_FINE_TIMERS();
	expect_path(_metadata, 60);
}

TEST(long_path_is_whole)
{
	NEED_FINE_TIMERS();
	expect_path(_metadata, 127);
	expect_path(_metadata, 128);
	expect_path(_metadata, PROFIL_PATH_SIZE - 1);
}

TEST(path_that_is_too_long_is_cut_and_told)
{
	NEED_FINE_TIMERS();
	expect_path(_metadata, PROFIL_PATH_SIZE);
	expect_path(_metadata, 3000);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "burn")) {
		burn_ms(300);
		return 0;
	}
	return test_harness_run(argc, argv);
}
