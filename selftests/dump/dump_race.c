// SPDX-License-Identifier: GPL-2.0-only
/*
 * Races on the path: while a process ends, another one replaces its file or its
 * directory.  The only result is a new file in the opened directory.
 */
#include "dump_test.h"

#define ROUNDS	50

FIXTURE(dump_race) {
	struct dump_area area;
	char victim[60];
	int status;
};

static int write_victim(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t n = write(fd, "victim", 6);

	close(fd);
	return n == 6 ? 0 : -1;
}

FIXTURE_SETUP(dump_race)
{
	self->area = area_make();
	snprintf(self->victim, sizeof(self->victim), "%s.victim",
		 self->area.dir);
	ASSERT_EQ(0, write_victim(self->victim));
}

FIXTURE_TEARDOWN(dump_race)
{
	unlink(self->victim);
	area_remove(&self->area);
}

static bool is_victim(const char *name)
{
	char text[10] = "";
	struct stat st;
	int fd = open(name, O_RDONLY | O_NOFOLLOW);
	bool same = read(fd, text, sizeof(text)) == 6 &&
		    !strcmp(text, "victim") && !fstat(fd, &st) &&
		    st.st_mode == 0100600 && st.st_nlink == 1;

	close(fd);
	return same;
}

struct race {
	char name[100];		/* of what is written */
	char spare[110];
	const char *victim;
};

/* The name is by turns a link of either kind, a file, a FIFO, and nothing. */
static void *change_hands(void *arg)
{
	struct race *race = arg;

	while (!enough) {
		symlink(race->victim, race->name);
		link(race->victim, race->spare);
		rename(race->spare, race->name);
		write_victim(race->spare);
		rename(race->spare, race->name);
		unlink(race->name);
		mkfifo(race->name, 0600);
		unlink(race->name);
	}
	unlink(race->spare);
	return NULL;
}

TEST_F(dump_race, a_name_that_changes_hands_leads_nowhere)
{
	struct race race = { .victim = self->victim };
	pthread_t racer;
	int i, go[2];
	pid_t pid;
	char byte;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, pipe(go));
		pid = fork();
		if (!pid) {
			close(go[1]);
			ask_and_complete(&self->area);
			_exit(read(go[0], &byte, 1));
		}
		strcpy(race.name, area_name(&self->area, pid));
		snprintf(race.spare, sizeof(race.spare), "%s.spare",
			 race.name);
		enough = false;
		ASSERT_EQ(0, pthread_create(&racer, NULL, change_hands, &race));
		close(go[0]);
		close(go[1]);
		ASSERT_EQ(0, end_of(pid));
		burners_end(&racer, 1);
		unlink(race.name);
		ASSERT_TRUE(is_victim(self->victim));
	}
	EXPECT_EQ(0, area_files(&self->area));
}

/* The opened directory counts, not the one of that name at exit. */
TEST_F(dump_race, link_instead_of_directory_not_followed)
{
	struct dump_area moved = self->area, victims = self->area;
	pid_t pid;

	strcat(moved.dir, "_moved");
	strcat(victims.dir, "_victim");
	ASSERT_EQ(0, mkdir(victims.dir, 0700));
	pid = ENDED_CHILD({
		ask_and_complete(&self->area);
		if (rename(self->area.dir, moved.dir) ||
		    symlink(victims.dir, self->area.dir))
			_exit(1);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&victims));
	EXPECT_EQ(1, area_written(&moved, pid));
	EXPECT_EQ(0, rmdir(victims.dir));
	EXPECT_EQ(0, unlink(self->area.dir));
	EXPECT_EQ(0, rename(moved.dir, self->area.dir));
}

TEST_HARNESS_MAIN
