// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an observer sees does not grow with a descriptor that is passed on, a
 * change of credentials, a user namespace, a chroot or seccomp.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "exec_test.h"
#include "observe_test.h"

#define RATE	5000
#define USER	1000
#define OTHER	2000

/* This program again: it becomes private, and burns. */
__attribute__((constructor)) static void burn_if_told(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "burn")) {
		prctl(PR_SET_DUMPABLE, 0);
		burn_ms(300);
		_exit(0);
	}
}

FIXTURE(observe_given) {
	struct observer *o;
};

FIXTURE_SETUP(observe_given)
{
	NEED_FINE_TIMERS();
	self->o = calloc(1, sizeof(*self->o));
	ASSERT_NE(NULL, self->o);
}

FIXTURE_TEARDOWN(observe_given)
{
	free(self->o);
}

/* Counted between two looks, if the books balance. */
static uint64_t count_of(struct observer *o, uint64_t *refused)
{
	uint64_t counted = o->sum.counted;

	*refused = o->sum.refused;
	burn_ms(300);
	if (observe_read(o) || !o->balanced)
		_exit(255);
	*refused = o->sum.refused - *refused;
	return o->sum.counted - counted;
}

/* A user's, with a user ID to go back to, as after a set-user-ID exec. */
static int change_user(struct observer *o)
{
	uint64_t refused;

	FAIL_UNLESS(!setresgid(USER, USER, USER));
	FAIL_UNLESS(!setresuid(USER, USER, OTHER));
	FAIL_UNLESS(!prctl(PR_SET_DUMPABLE, 1));
	FAIL_UNLESS(!observe_open(o, RATE, 0));
	FAIL_UNLESS(!observe_join(o->fd, 0, 0, 0));
	FAIL_UNLESS(count_of(o, &refused) && !refused);
	FAIL_UNLESS(!setresuid(-1, OTHER, -1));
	/* What came before the change is read. */
	count_of(o, &refused);
	FAIL_UNLESS(!count_of(o, &refused) && refused);
	return 0;
}

TEST_F(observe_given, process_that_changes_its_user_is_refused)
{
	EXPECT_CHILD(_exit(change_user(self->o)));
}

/* A private process, of this address space or of one made in the namespace. */
static int burn_inside(struct observer *o, bool exec)
{
	pid_t pid = fork();

	if (pid)
		return end_of(pid);
	FAIL_UNLESS(!observe_join(o->fd, 0, 0, 0));
	if (exec)
		execl("/proc/self/exe", "burn", "burn", NULL);
	FAIL_UNLESS(!prctl(PR_SET_DUMPABLE, 0));
	burn_ms(300);
	_exit(0);
}

static int be_root_inside(struct observer *o)
{
	FAIL_UNLESS(!become_user(USER));
	FAIL_UNLESS(!unshare(CLONE_NEWUSER));
	FAIL_UNLESS(!prctl(PR_SET_DUMPABLE, 1));
	FAIL_UNLESS(!observe_open(o, RATE, 0));
	FAIL_UNLESS(!burn_inside(o, true));
	FAIL_UNLESS(!observe_read(o) && o->balanced &&
		    o->sum.counted && o->sum.counted + o->sum.lost > 100);
	FAIL_UNLESS(!o->sum.refused);
	o->hot = 0;
	FAIL_UNLESS(!burn_inside(o, false));
	FAIL_UNLESS(!observe_read(o) && o->balanced);
	FAIL_UNLESS(o->sum.refused > 10 * o->hot);
	return 0;
}

/* What was private before the namespace was made is not its root's to see. */
TEST_F(observe_given, inner_root_sees_what_is_private_inside)
{
	EXPECT_CHILD(_exit(be_root_inside(self->o)));
}

/* The observer of another process, as SCM_RIGHTS would pass it. */
static int take_descriptor(pid_t pid, int fd)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);
	int taken = syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	close(pidfd);
	return taken;
}

/* Root gives itself to a user's observer, and that is not enough. */
TEST_F(observe_given, users_observer_sees_no_private_root)
{
	struct observer *o = self->o;
	int ready[2], fd;
	uint64_t refused;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		if (become_user(USER) || observe_open(o, RATE, 0) ||
		    write(ready[1], &o->fd, sizeof(o->fd)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	ASSERT_EQ(sizeof(fd), read(ready[0], &fd, sizeof(fd)));
	o->fd = take_descriptor(pid, fd);
	ASSERT_LE(0, o->fd);
	o->balanced = true;
	o->map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, o->fd, 0);
	ASSERT_NE(MAP_FAILED, o->map);
	o->size = o->map->halves + 2 * o->map->nr_cpus * o->map->half_size;
	munmap(o->map, PAGE);
	o->map = mmap(NULL, o->size, PROT_READ, MAP_SHARED, o->fd, 0);
	ASSERT_NE(MAP_FAILED, o->map);
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 0));
	EXPECT_EQ(0, observe_join(o->fd, 0, 0, 0));
	EXPECT_EQ(0, count_of(o, &refused));
	EXPECT_LT(0, refused);
	EXPECT_EQ(0, o->nr_images);
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	kill(pid, SIGKILL);
	end_of(pid);
	observe_close(o);
}

static int give_maps(int fd, uint32_t image, int mem)
{
	struct profil_unwind unwind = {
		.size = sizeof(unwind),
		.op = PROFIL_UNWIND_MAPS,
		.image = image,
		.fd = mem,
	};

	return ioctl(fd, PROFIL_IOC_UNWIND, &unwind) ? errno : 0;
}

/* What a user does with an observer and memory of root's. */
static int use_as_other(struct observer *o, pid_t root, int root_mem)
{
	struct profil_swap swap = { .size = sizeof(swap) };
	int own = open_mem(getpid()), fd;
	char name[40];

	FAIL_UNLESS(open_mem(root) < 0 && errno == EACCES);
	FAIL_UNLESS(observe_join(o->fd, root, own, 0) == ESRCH);
	FAIL_UNLESS(observe_join(o->fd, root, root_mem, 0) == EPERM);
	FAIL_UNLESS(give_maps(o->fd, 1, root_mem) == EPERM);
	FAIL_UNLESS(give_maps(o->fd, 1, own) == ESRCH);
	/* Opened again, the descriptor is no observer. */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", o->fd);
	fd = open(name, O_RDWR);
	FAIL_UNLESS(fd >= 0 && observe_join(fd, 0, 0, 0) == EINVAL);
	FAIL_UNLESS(ioctl(fd, PROFIL_IOC_SWAP, &swap) && errno == EINVAL);
	FAIL_UNLESS(mmap(NULL, o->size, PROT_READ, MAP_SHARED, fd, 0) ==
		    MAP_FAILED && errno == ENODEV);
	return 0;
}

TEST_F(observe_given, passed_observer_opens_no_other_process)
{
	struct profil_observe args = observe_args(RATE);
	struct observer *o = self->o;
	int mem = open_mem(getpid());
	pid_t root = getpid();

	args.depth = 10;
	ASSERT_EQ(0, observe_open_with(o, &args));
	ASSERT_EQ(0, observe_join(o->fd, 0, 0, 0));
	burn_ms(100);
	ASSERT_EQ(0, observe_read(o));
	ASSERT_EQ(1, o->nr_images);
	EXPECT_CHILD(_exit(become_user(OTHER) ||
			   use_as_other(o, root, mem)));
	EXPECT_EQ(0, give_maps(o->fd, 1, mem));
	close(mem);
	observe_close(o);
}

static void burn_in_shell(void)
{
	if (chroot("/usr") || chdir("/"))
		_exit(1);
	execl("/bin/sh", "sh", "-c",
	      "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done", NULL);
	_exit(2);
}

/* Does a path below a directory lead to what ran? */
static bool leads_to(const char *dir, const struct profil_image *image)
{
	char name[PROFIL_PATH_SIZE + 20];
	struct stat stat_of;

	snprintf(name, sizeof(name), "%s%s", dir, image->path);
	return !stat(name, &stat_of) && stat_of.st_ino == image->ino;
}

static const struct profil_image *image_of_shell(const struct observer *o)
{
	uint32_t i;

	for (i = 0; i < o->nr_images; i++)
		if (!strcmp(o->image[i].comm, "sh"))
			return &o->image[i];
	return NULL;
}

/* It is followed like any other, and its paths are what it has. */
TEST_F(observe_given, path_in_a_chroot_is_the_process_own)
{
	struct observer *o = self->o;
	const struct profil_image *image;

	if (access("/usr/lib64", X_OK))
		SKIP(return, "no programs that run below /usr");
	ASSERT_EQ(0, observe_open(o, RATE, 0));
	EXPECT_EQ(0, end_of(observe_start(o, 0, burn_in_shell)));
	ASSERT_EQ(0, observe_read(o));
	image = image_of_shell(o);
	ASSERT_NE(NULL, image);
	TH_LOG("%s", image->path);
	EXPECT_TRUE(leads_to("/usr", image));
	EXPECT_NE(0, strncmp(image->path, "/usr", 4));
	observe_close(o);
}

/* One that JOIN takes has the path by which the caller reaches it. */
TEST_F(observe_given, path_of_a_joined_one_is_the_callers)
{
	const struct profil_image *image;
	struct observer *o = self->o;
	int said[2], tries;
	pid_t pid;
	char byte;

	if (access("/usr/lib64", X_OK))
		SKIP(return, "no programs that run below /usr");
	ASSERT_EQ(0, observe_open(o, RATE, 0));
	ASSERT_EQ(0, pipe(said));
	pid = fork();
	if (!pid) {
		if (dup2(said[1], 1) < 0 || chroot("/usr") || chdir("/"))
			_exit(1);
		execl("/bin/sh", "sh", "-c", "echo; while :; do :; done", NULL);
		_exit(2);
	}
	close(said[1]);
	/* A process has the shell's name before its exec has ended. */
	EXPECT_EQ(1, read(said[0], &byte, 1));
	EXPECT_EQ(0, observe_join_pid(o->fd, pid));
	for (image = NULL, tries = 0; tries < 3000 && !image; tries++) {
		usleep(10000);
		ASSERT_EQ(0, observe_read(o));
		image = image_of_shell(o);
	}
	ASSERT_NE(NULL, image);
	TH_LOG("%s", image->path);
	EXPECT_EQ(PROFIL_IMAGE_JOIN, image->how);
	EXPECT_TRUE(leads_to("", image));
	EXPECT_EQ(0, strncmp(image->path, "/usr/", 5));
	kill(pid, SIGKILL);
	end_of(pid);
	close(said[0]);
	observe_close(o);
}

static void burn_strictly(void)
{
	hot_a(1000);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		_exit(1);
	hot_a(50000000);
	syscall(SYS_exit, 0);
}

/* To be sampled it needs no system call. */
TEST_F(observe_given, process_in_strict_seccomp_is_followed)
{
	struct observer *o = self->o;

	ASSERT_EQ(0, observe_open(o, RATE, 0));
	EXPECT_EQ(0, end_of(observe_start(o, 0, burn_strictly)));
	ASSERT_EQ(0, observe_read(o));
	EXPECT_TRUE(o->balanced);
	EXPECT_LT((o->sum.seen - o->sum.lost) / 2, o->hot);
	EXPECT_LT(100, o->hot);
	EXPECT_EQ(0, o->sum.refused);
	EXPECT_EQ(1, o->nr_ends);
	observe_close(o);
}

/* A filter for ioctl() is one for JOIN. */
static int join_filtered(struct observer *o)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	FAIL_UNLESS(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	FAIL_UNLESS(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
	FAIL_UNLESS(observe_join(o->fd, 0, 0, 0) == EXDEV);
	burn_ms(100);
	return 0;
}

TEST_F(observe_given, seccomp_filter_refuses_join)
{
	struct observer *o = self->o;

	ASSERT_EQ(0, observe_open(o, RATE, 0));
	EXPECT_CHILD(_exit(join_filtered(o)));
	ASSERT_EQ(0, observe_read(o));
	EXPECT_EQ(0, o->sum.seen);
	EXPECT_EQ(0, o->map->followed);
	observe_close(o);
}

TEST_HARNESS_MAIN
