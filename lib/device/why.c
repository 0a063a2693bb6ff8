// SPDX-License-Identifier: MIT
/*
 * Why /dev/profil does not serve: for each cause a sentence, with what would
 * change it.
 *
 * The cause is looked for when there is something to say: errno alone does not
 * tell a module that is not loaded from a node that a container does not have.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/capability.h>

#include "block.h"
#include "internal.h"

struct sentence {
	char *text;
	size_t size;
};

static void __attribute__((format(printf, 2, 3)))
say(const struct sentence *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(to->text, to->size, format, args);
	va_end(args);
}

static bool module_is_loaded(void)
{
	return access("/sys/module/profil", F_OK) == 0;
}

static bool in_container(void)
{
	return access("/.dockerenv", F_OK) == 0 ||
	       access("/run/.containerenv", F_OK) == 0 ||
	       access("/run/systemd/container", F_OK) == 0;
}

/* Whether text is in the file, which is not read whole at once. */
static bool file_has(const char *name, const char *text)
{
	size_t kept = 0, len = strlen(text);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	char part[4096];
	bool has = false;
	ssize_t more;

	if (fd < 0)
		return false;
	while (!has) {
		more = read(fd, part + kept, sizeof(part) - kept);
		if (more <= 0)
			break;
		kept += (size_t)more;
		has = memmem(part, kept, text, len);
		if (kept >= len) {
			memmove(part, part + kept - (len - 1), len - 1);
			kept = len - 1;
		}
	}
	close(fd);
	return has;
}

bool profil_file_has(const char *name, const char *text)
{
	int cancel = profil_cancel_disable();
	bool has = file_has(name, text);

	profil_cancel_restore(cancel);
	return has;
}

static void not_loaded(const struct sentence *to)
{
	char name[sizeof(struct utsname) + 32];
	struct utsname kernel;

	if (in_container()) {
		say(to, "there is no /dev/profil in this container; on the host: modprobe profil, then start the container with --device /dev/profil");
		return;
	}
	if (uname(&kernel) != 0)
		strcpy(kernel.release, "?");
	snprintf(name, sizeof(name), "/lib/modules/%s/modules.dep",
		 kernel.release);
	if (profil_file_has(name, "/profil.ko"))
		say(to, "the module profil is not loaded; as root: modprobe profil");
	else
		say(to, "the module profil is not installed for Linux %s; install it, then as root: modprobe profil",
		    kernel.release);
}

static void no_node(const struct sentence *to, int error)
{
	if (error != ENOENT && error != ENOTDIR)
		say(to, "/dev/profil: %s; as root: chmod 755 /dev",
		    profil_error(error));
	else if (module_is_loaded())
		say(to, "the module profil is loaded, but there is no /dev/profil here; start the container with --device /dev/profil, or bind it into the chroot's /dev");
	else
		not_loaded(to);
}

static void not_device(const struct sentence *to, mode_t mode)
{
	const char *kind = S_ISREG(mode) ? "regular file" :
			   S_ISDIR(mode) ? "directory" :
			   S_ISFIFO(mode) ? "FIFO" :
			   S_ISSOCK(mode) ? "socket" : "block device";

	say(to, "/dev/profil is a %s, not the module's device; as root: remove it, modprobe -r profil, modprobe profil",
	    kind);
}

/* Where the owner, the group or all may open it, the caller is not told so. */
static bool mode_allows(const struct stat *st)
{
	mode_t rw = st->st_uid == geteuid() ? 0600 :
		    st->st_gid == getegid() ? 0060 : 0006;

	return (st->st_mode & rw) == rw;
}

static const char *root_or(unsigned int id)
{
	return id ? "" : " (root)";
}

static void not_permitted(const struct sentence *to, const struct stat *st)
{
	if (mode_allows(st))
		say(to, "/dev/profil may not be opened, though its mode %04o allows it; a mount with nodev, SELinux or AppArmor forbids it: change that rule",
		    st->st_mode & 07777);
	else
		say(to, "/dev/profil may not be opened: mode %04o, owner %u%s, group %u%s; as root: chmod 666 /dev/profil, for good in a udev rule",
		    st->st_mode & 07777, st->st_uid, root_or(st->st_uid),
		    st->st_gid, root_or(st->st_gid));
}

static void no_memlock(const struct sentence *to)
{
	profil_why_memlock(to->text, to->size, profil_device_wanted());
}

static void no_descriptor(const struct sentence *to)
{
	struct rlimit limit = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	say(to, "the program has all the %llu descriptors open that RLIMIT_NOFILE allows, and /dev/profil needs one; raise it: ulimit -n",
	    (unsigned long long)limit.rlim_cur);
}

static void not_opened(const struct sentence *to, int error,
		       const struct stat *st)
{
	switch (error) {
	case EACCES:
		not_permitted(to, st);
		break;
	case EPERM:
		say(to, "the rules for devices of this container or sandbox forbid /dev/profil; start it with --device /dev/profil");
		break;
	case ENXIO:
	case ENODEV:
	case EBADFD:
		if (module_is_loaded())
			say(to, "/dev/profil has the numbers of another device, %u:%u; as root: rm /dev/profil, modprobe -r profil, modprobe profil",
			    major(st->st_rdev), minor(st->st_rdev));
		else
			say(to, "/dev/profil is there, but the module profil is not loaded; as root: modprobe profil");
		break;
	case ENOSYS:
		say(to, "a sandbox (seccomp) forbids to open /dev/profil; let its filter allow openat()");
		break;
	case EMFILE:
		no_descriptor(to);
		break;
	case ENFILE:
		say(to, "the system has all the files open that it may, and /dev/profil is one more; as root: sysctl fs.file-max=MORE");
		break;
	case ENOMEM:
		say(to, "the kernel has no memory left to open /dev/profil; end other programs");
		break;
	default:
		say(to, "/dev/profil can't be opened: %s",
		    profil_error(error));
	}
}

static void too_old(const struct sentence *to)
{
	say(to, "the module that is loaded is too old for this library; install the module of the library's version, then as root: modprobe -r profil, modprobe profil");
}

/* The first ioctl failed. */
static void not_answered(const struct sentence *to, int error,
			 const struct stat *st)
{
	switch (error) {
	case ENOTTY:
		say(to, "/dev/profil is another device, %u:%u, not the module's; as root: rm /dev/profil, modprobe -r profil, modprobe profil",
		    major(st->st_rdev), minor(st->st_rdev));
		break;
	case EPERM:
	case EACCES:
	case ENOSYS:
		say(to, "a sandbox (seccomp) forbids the use of /dev/profil; let its filter allow ioctl()");
		break;
	case EINVAL:
	case E2BIG:
		too_old(to);
		break;
	default:
		not_opened(to, error, st);
	}
}

/* The device answers, but started no profile. */
static void not_started(const struct sentence *to, int error)
{
	static const struct stat no;

	switch (error) {
	case ENOMEM:
		no_memlock(to);
		break;
	case EBUSY:
		say(to, "kernel.ftrace_enabled is 0, and the module samples through ftrace; as root: sysctl kernel.ftrace_enabled=1");
		break;
	case ENODEV:
		say(to, "the kernel has given up its tracing after an error of its own; dmesg has it, and only a reboot helps");
		break;
	case EPROTO:
	case EOPNOTSUPP:
		too_old(to);
		break;
	default:
		not_answered(to, error, &no);
	}
}

bool profil_locks_all(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	return syscall(SYS_capget, &head, data) == 0 &&
	       data[0].effective & 1u << CAP_IPC_LOCK;
}

/* KiB of the process's that are locked or pinned already. */
static unsigned long long kib_locked(void)
{
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char part[4096];
	const char *at;
	ssize_t len;

	if (fd < 0)
		return 0;
	len = read(fd, part, sizeof(part) - 1);
	close(fd);
	part[len > 0 ? len : 0] = '\0';
	at = strstr(part, "\nVmLck:");
	return at ? strtoull(at + 7, NULL, 10) : 0;
}

void profil_why_memlock(char *text, size_t size, uint64_t bytes)
{
	const struct sentence to = { text, size };
	unsigned long long wanted = (bytes + 1023) / 1024;
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	int cancel = profil_cancel_disable();
	unsigned long long used = kib_locked();

	profil_cancel_restore(cancel);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY || profil_locks_all())
		say(&to, "the kernel has no memory to pin %llu KiB of counters; end other programs, or profile less text",
		    wanted);
	else if (used + wanted <= limit.rlim_cur / 1024)
		say(&to, "counters of %llu KiB lie in huge pages, which count whole against the %llu KiB of RLIMIT_MEMLOCK; raise it: ulimit -l %llu, or have small pages there: madvise(MADV_NOHUGEPAGE)",
		    wanted, (unsigned long long)limit.rlim_cur / 1024,
		    (unsigned long long)limit.rlim_cur / 1024 + 2048);
	else
		say(&to, "%llu KiB of counters are to be pinned, and RLIMIT_MEMLOCK allows %llu KiB, of which %llu are in use; raise it: ulimit -l %llu, or memlock in /etc/security/limits.conf",
		    wanted, (unsigned long long)limit.rlim_cur / 1024, used,
		    used + wanted);
}

static void look_for_cause(const struct sentence *to, int error)
{
	struct profil_info info;
	struct stat st;
	int fd;

	if (profil_device_info(&info) == 0) {
		not_started(to, error);
		return;
	}
	if (stat(PROFIL_DEVICE, &st) != 0) {
		no_node(to, errno);
		return;
	}
	if (!S_ISCHR(st.st_mode)) {
		not_device(to, st.st_mode);
		return;
	}
	fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		not_opened(to, errno, &st);
		return;
	}
	close(fd);
	if (profil_device_info(&info) != 0)
		not_answered(to, errno, &st);
}

void profil_why(const char *outcome, int error)
{
	char text[512] = "/dev/profil could not be used; try again";
	const struct sentence to = { text, sizeof(text) };
	int cancel = profil_cancel_disable();
	int saved = errno;
	char key[sizeof(text)];
	int len = 0;
	int i;

	look_for_cause(&to, error);
	profil_cancel_restore(cancel);
	/* A limit that is too small is one cause, whatever was wanted. */
	for (i = 0; text[i]; i++)
		if (text[i] < '0' || text[i] > '9')
			key[len++] = text[i];
	key[len] = '\0';
	if (profil_report_first(key))
		profil_report("%s: %s", outcome, text);
	errno = saved;
}
