// SPDX-License-Identifier: GPL-2.0-only
/*
 * semantics, "OpenBSD in full": the directory and the credentials are those of
 * the first call, whatever the process has given up or lost since.
 */
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "dump_test.h"

#define OTHER	12345

FIXTURE(dump_rights) {
	struct dump_area area;
	int status;
};

FIXTURE_SETUP(dump_rights)
{
	self->area = area_make();
}

FIXTURE_TEARDOWN(dump_rights)
{
	area_remove(&self->area);
}

/* The file of a child that asks, does this, and completes its data. */
#define WRITTEN_AFTER(...) ({						\
	pid_t __child = ENDED_CHILD({					\
		if (area_set(&self->area))				\
			_exit(1);					\
		__VA_ARGS__;						\
		area_complete(&self->area);				\
	});								\
									\
	EXPECT_EQ(0, self->status);					\
	area_written(&self->area, __child);				\
})

TEST_F(dump_rights, the_directory_may_be_the_working_one)
{
	pid_t pid = ENDED_CHILD({
		struct profil_dump dump = area_dump(&self->area, -1);

		if (chdir(self->area.dir) ||
		    set_dump(&dump, area_counter(&self->area)) || chdir("/"))
			_exit(1);
		area_complete(&self->area);
	});

	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
}

TEST_F(dump_rights, directory_opened_with_o_path_works)
{
	pid_t pid = ENDED_CHILD({
		struct profil_dump dump =
			area_dump(&self->area, open(self->area.dir, O_PATH));

		if (set_dump(&dump, area_counter(&self->area)))
			_exit(1);
		area_complete(&self->area);
	});

	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
}

TEST_F(dump_rights, after_chroot)
{
	EXPECT_EQ(1, WRITTEN_AFTER({
		if (chroot("/sys") || chdir("/"))
			_exit(2);
	}));
}

TEST_F(dump_rights, after_setresuid)
{
	struct stat st;
	pid_t pid = ENDED_CHILD({
		if (area_set(&self->area) || setresgid(OTHER, OTHER, OTHER) ||
		    setresuid(OTHER, OTHER, OTHER))
			_exit(1);
		area_complete(&self->area);
	});

	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&self->area, pid));
	ASSERT_EQ(0, stat(area_name(&self->area, pid), &st));
	EXPECT_EQ(0, st.st_uid);
}

TEST_F(dump_rights, the_file_is_the_first_callers)
{
	struct stat st;
	pid_t pid = ENDED_CHILD({
		if (chmod(self->area.dir, 0777) || setegid(OTHER) ||
		    seteuid(OTHER) || area_set(&self->area) || seteuid(0) ||
		    setegid(0) || area_set(&self->area))
			_exit(1);
		area_complete(&self->area);
	});

	EXPECT_EQ(0, self->status);
	ASSERT_EQ(0, stat(area_name(&self->area, pid), &st));
	EXPECT_EQ(OTHER, st.st_uid);
	EXPECT_EQ(OTHER, st.st_gid);
}

TEST_F(dump_rights, a_caller_without_the_right_gets_no_file)
{
	ENDED_CHILD({
		/* It may see the directory, and not change it. */
		if (chmod(self->area.dir, 0755) || seteuid(OTHER) ||
		    area_set(&self->area) || seteuid(0))
			_exit(1);
		area_complete(&self->area);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_F(dump_rights, no_new_privs_keeps_caller_rights)
{
	struct stat st;
	pid_t pid = ENDED_CHILD({
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    chmod(self->area.dir, 0777) || setegid(OTHER) ||
		    seteuid(OTHER) || area_set(&self->area))
			_exit(1);
		area_complete(&self->area);
	});

	EXPECT_EQ(0, self->status);
	ASSERT_EQ(0, stat(area_name(&self->area, pid), &st));
	EXPECT_EQ(OTHER, st.st_uid);
	EXPECT_EQ(OTHER, st.st_gid);
	ASSERT_EQ(0, chmod(self->area.dir, 0755));
	ENDED_CHILD({
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || setegid(OTHER) ||
		    seteuid(OTHER) || area_set(&self->area))
			_exit(1);
		area_complete(&self->area);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_files(&self->area));
}

TEST_F(dump_rights, after_seccomp_strict)
{
	EXPECT_EQ(1, WRITTEN_AFTER({
		area_complete(&self->area);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			_exit(2);
		syscall(SYS_exit, 0);
	}));
}

/* Forbids what it can, but what is allowed below a directory. */
static int landlock(const char *dir, uint64_t allowed)
{
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = (1 << 13) - 1,
	};
	struct landlock_path_beneath_attr rule = {
		.allowed_access = allowed,
		.parent_fd = open(dir, O_PATH | O_CLOEXEC),
	};
	int fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	if (fd < 0 ||
	    (allowed && syscall(SYS_landlock_add_rule, fd,
				LANDLOCK_RULE_PATH_BENEATH, &rule, 0)) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_landlock_restrict_self, fd, 0))
		return -1;
	return open("/etc/passwd", O_RDONLY) < 0 ? 0 : -1;
}

TEST_F(dump_rights, after_landlock)
{
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 0)
		SKIP(return, "a kernel without Landlock");
	EXPECT_EQ(1, WRITTEN_AFTER({
		if (landlock("/", 0))
			_exit(2);
	}));
}

TEST_F(dump_rights, landlock_before_call_still_forbids)
{
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 0)
		SKIP(return, "a kernel without Landlock");
	ENDED_CHILD({
		struct profil_dump dump =
			area_dump(&self->area, open(self->area.dir, O_PATH));

		profil_fd();
		if (landlock("/", 0) ||
		    set_dump(&dump, area_counter(&self->area)))
			_exit(1);
		area_complete(&self->area);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, area_files(&self->area));
}

TEST_F(dump_rights, file_that_landlock_keeps_is_not_replaced)
{
	struct stat st;
	char *name;
	pid_t pid;
	int fd;

	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 0)
		SKIP(return, "a kernel without Landlock");
	pid = ENDED_CHILD({
		name = area_name(&self->area, getpid());
		profil_fd();
		if (landlock(self->area.dir, LANDLOCK_ACCESS_FS_MAKE_REG |
					     LANDLOCK_ACCESS_FS_WRITE_FILE |
					     LANDLOCK_ACCESS_FS_READ_DIR))
			_exit(2);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (write(fd, "old", 3) != 3 || !unlink(name))
			_exit(3);
		close(fd);
		ask_and_complete(&self->area);
	});
	EXPECT_EQ(0, self->status);
	ASSERT_EQ(0, stat(area_name(&self->area, pid), &st));
	EXPECT_EQ(3, st.st_size);
}

TEST_F(dump_rights, with_every_descriptor_closed)
{
	EXPECT_EQ(1, WRITTEN_AFTER({
		if (syscall(SYS_close_range, 0, ~0U, 0))
			_exit(2);
	}));
}

TEST_F(dump_rights, in_a_directory_that_was_renamed)
{
	struct dump_area moved = self->area;
	pid_t pid;

	strcat(moved.dir, "_moved");
	pid = ENDED_CHILD({
		if (area_set(&self->area) ||
		    rename(self->area.dir, moved.dir))
			_exit(1);
		area_complete(&self->area);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, area_written(&moved, pid));
	EXPECT_EQ(0, rename(moved.dir, self->area.dir));
}

TEST_F(dump_rights, removed_directory_gets_no_file)
{
	ENDED_CHILD({
		if (area_set(&self->area) || rmdir(self->area.dir))
			_exit(1);
		area_complete(&self->area);
	});
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(-1, area_files(&self->area));
	EXPECT_EQ(0, mkdir(self->area.dir, 0700));
}

TEST_F(dump_rights, nothing_larger_than_rlimit_fsize)
{
	struct rlimit limit = { AREA - 1, RLIM_INFINITY };

	EXPECT_EQ(0, WRITTEN_AFTER({
		if (setrlimit(RLIMIT_FSIZE, &limit))
			_exit(2);
	}));
	EXPECT_EQ(0, area_files(&self->area));
	limit.rlim_cur++;
	EXPECT_EQ(1, WRITTEN_AFTER({
		if (setrlimit(RLIMIT_FSIZE, &limit))
			_exit(2);
	}));
}

TEST_F(dump_rights, name_is_last_comm_made_safe)
{
	char path[100];
	pid_t pid = ENDED_CHILD({
		if (area_set(&self->area) || prctl(PR_SET_NAME, "../a\tb\n"))
			_exit(1);
		area_complete(&self->area);
	});

	EXPECT_EQ(0, self->status);
	snprintf(path, sizeof(path), "%s/gmon..._a_b_.%d.out", self->area.dir,
		 pid);
	EXPECT_EQ(0, access(path, R_OK));
}

TEST_HARNESS_MAIN
