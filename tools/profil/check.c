// SPDX-License-Identifier: MIT
/* profil check: what works here, and what to do where it does not. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <profil/ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands.h"
#include "head.h"
#include "join.h"
#include "util.h"

static const char usage[] =
	"usage: profil check\n"
	"\n"
	"Says what of profil works here, and what to do where it does not.  The status\n"
	"is 0 if profil run works, and else 1.\n";

static void say_verdict(const char *verdict, const char *what,
			const char *detail)
{
	printf("%-8s %-22s ", verdict, what);
	text_print(stdout, detail);
	putchar('\n');
}

static void give_advice(const char *text)
{
	printf("%-8s %-22s -> ", "", "");
	text_print(stdout, text);
	putchar('\n');
}

static bool file_exists(const char *path)
{
	return !access(path, F_OK);
}

static bool in_container(void)
{
	return file_exists("/.dockerenv") ||
	       file_exists("/run/.containerenv") || getenv("container");
}

static void advise_install(void)
{
	struct utsname kernel;
	char *text;

	if (in_container()) {
		give_advice("this is a container: load the module on the host, and start the container with --device /dev/profil");
		return;
	}
	uname(&kernel);
	text = xasprintf("install the module for this kernel (%s): apt-get install profil, or make install in its source",
			 kernel.release);
	give_advice(text);
	free(text);
	give_advice("load it: sudo modprobe profil (with Secure Boot see docs/install.md)");
}

/* The device, open, or -1 after it was said why. */
static int check_device(void)
{
	int fd = open(PROFIL_DEVICE, O_RDWR | O_CLOEXEC), error = errno;
	struct stat st;
	char *text;

	if (fd >= 0) {
		say_verdict("ok", PROFIL_DEVICE, "is there, and opens");
		return fd;
	}
	if (error == ENOENT) {
		say_verdict("missing", PROFIL_DEVICE, "the module is not loaded, or the device is not visible here");
		advise_install();
	} else if (error == ENXIO || error == ENODEV) {
		say_verdict("missing", PROFIL_DEVICE, "the device is there, its module is not loaded");
		advise_install();
	} else if (error == EACCES || error == EPERM) {
		text = xasprintf("no permission: %s", strerror(error));
		if (!stat(PROFIL_DEVICE, &st)) {
			free(text);
			text = xasprintf("no permission: its mode is %04o, its group is %u",
					 st.st_mode & 07777,
					 (unsigned int)st.st_gid);
		}
		say_verdict("refused", PROFIL_DEVICE, text);
		free(text);
		if (in_container())
			give_advice("start the container with --device /dev/profil");
		give_advice("the rule of the package opens it to all users, unless one in /etc/udev/rules.d restricts it: ask the administrator");
	} else {
		say_verdict("refused", PROFIL_DEVICE, strerror(error));
	}
	return -1;
}

static bool check_info(int fd, struct profil_info *info)
{
	char *text;

	*info = (struct profil_info){ .size = sizeof(*info) };
	if (ioctl(fd, PROFIL_IOC_INFO, info)) {
		say_verdict("missing", "interface", strerror(errno));
		give_advice("this " PROFIL_DEVICE " is not profil's, or is of another version: install the module that belongs to this command");
		return false;
	}
	text = xasprintf("version %u, a tick of %u a second, rates up to %u a second",
			 info->abi_version, info->hz, info->max_rate_hz);
	say_verdict("ok", "interface", text);
	free(text);
	return true;
}

/* By doing it: an observer that follows this process for a moment. */
static bool check_run(int fd, const struct profil_info *info)
{
	struct profil_observe observe = { .size = sizeof(observe),
		.rate_hz = 1000, .nodes = 512, .images = 16, .depth = 1 };
	struct profil_join join = { .size = sizeof(join) };

	if (!(info->features & PROFIL_FEAT_OBSERVE)) {
		say_verdict("missing", "profil run", "this module can't observe processes");
		give_advice("install a newer module, which has PROFIL_FEAT_OBSERVE");
		return false;
	}
	if (!ioctl(fd, PROFIL_IOC_OBSERVE, &observe) &&
	    !ioctl(fd, PROFIL_IOC_JOIN, &join)) {
		say_verdict("ok", "profil run", "works");
		return true;
	}
	say_verdict("refused", "profil run", strerror(errno));
	if (errno == ENOMEM)
		give_advice("raise the limit of locked memory (ulimit -l), or free memory");
	else if (errno == EAGAIN)
		give_advice("you have too many observers: end another profil run, attach or top");
	else if (errno == EBUSY)
		give_advice("too many profil run, attach or top follow this process already");
	return false;
}

static void check_paths(const struct profil_info *info)
{
	if (info->features & PROFIL_FEAT_PATHS) {
		say_verdict("ok", "call paths", "are recorded");
		return;
	}
	say_verdict("missing", "call paths", "this module walks no stacks on this kernel");
	give_advice("profil run works without, and tells functions alone");
}

static void check_attach(const struct profil_info *info)
{
	if (!(info->features & PROFIL_FEAT_JOIN_OTHER)) {
		say_verdict("missing", "profil attach", "this kernel does not let the module recognise /proc/PID/mem");
		give_advice("use profil run, which works without");
		return;
	}
	if (!file_exists("/proc/self/mem")) {
		say_verdict("missing", "profil attach", "/proc is not mounted");
		give_advice("mount it: mount -t proc none /proc");
		return;
	}
	switch (geteuid() ? yama_scope() : '0') {
	case '0':
		say_verdict("ok", "profil attach", "to what you may trace");
		break;
	case '1':
		say_verdict("partly", "profil attach", "Yama allows it to descendants and to root alone");
		give_advice("start the program with profil run, or: sudo sysctl kernel.yama.ptrace_scope=0");
		break;
	case '2':
		say_verdict("refused", "profil attach", "Yama allows it to root alone");
		give_advice("sudo profil attach, or: sudo sysctl kernel.yama.ptrace_scope=0");
		break;
	default:
		say_verdict("refused", "profil attach", "Yama allows it to no process until the next boot");
		give_advice("start the program with profil run");
	}
}

static bool on_path(const char *name)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : "/usr/bin:/bin"), *rest = copy;
	bool found = false;
	char *dir, *file;

	while (!found && (dir = strsep(&rest, ":"))) {
		file = xasprintf("%s/%s", *dir ? dir : ".", name);
		found = !access(file, X_OK);
		free(file);
	}
	free(copy);
	return found;
}

static void check_reading(void)
{
	if (on_path("objdump")) {
		say_verdict("ok", "profil annotate", "objdump is there");
	} else {
		say_verdict("missing", "profil annotate", "objdump is not there: source lines alone, no instructions");
		give_advice("install binutils");
	}
	if (file_exists("/usr/lib/debug/.build-id") ||
	    getenv("DEBUGINFOD_URLS")) {
		say_verdict("ok", "lines of packages",
			    getenv("DEBUGINFOD_URLS") ?
			    "DEBUGINFOD_URLS is set" :
			    "/usr/lib/debug has debug files");
	} else {
		say_verdict("missing", "lines of packages", "programs of packages have names of functions only");
		give_advice("install their -dbgsym packages, or set DEBUGINFOD_URLS=https://debuginfod.debian.net");
	}
}

int cmd_check(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct profil_info info;
	bool works = false;
	int opt, fd;

	while ((opt = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		fputs(usage, opt == 'h' ? stdout : stderr);
		return opt == 'h' ? 0 : STATUS_USAGE;
	}
	if (optind < argc)
		die(STATUS_USAGE, "check takes no argument %s", argv[optind]);
	fd = check_device();
	if (fd >= 0 && check_info(fd, &info)) {
		works = check_run(fd, &info);
		check_paths(&info);
		check_attach(&info);
	}
	if (fd >= 0)
		close(fd);
	check_reading();
	output_done(stdout);
	return works ? 0 : STATUS_NOT_FOUND;
}
