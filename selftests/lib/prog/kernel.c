// SPDX-License-Identifier: GPL-2.0-only
/* profil() and sprofil() through /dev/profil: what only a kernel can do. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <profil.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "points.h"

#define HOT __attribute__((noinline, aligned(64), section("hot")))
#define BINS	4096

extern char __start_hot[], __stop_hot[];

static volatile unsigned long sink;
static unsigned short bins[BINS];
static int (*volatile call)(unsigned short *, size_t, size_t, unsigned int) =
	profil;

HOT static void three(void)
{
	int i;

	for (i = 0; i < 30000; i++)
		sink++;
}

HOT static void one(void)
{
	int i;

	for (i = 0; i < 10000; i++)
		sink++;
}

static struct profil_counts counts(void)
{
	struct profil_counts c;

	if (profil_counts_get(&c, sizeof(c)) != 0)
		abort();
	return c;
}

static void burn(uint64_t ticks)
{
	int i;

	ticks += counts().seen;
	do {
		for (i = 0; i < 20; i++) {
			three();
			one();
		}
	} while (counts().seen < ticks);
}

static int start_hot(void)
{
	memset(bins, 0, sizeof(bins));
	return call(bins, sizeof(bins), (size_t)__start_hot, 0x10000);
}

static int stop(void)
{
	return call(NULL, 0, 0, 0);
}

static uint64_t sum(const char *from, const char *to)
{
	size_t bin = (size_t)(from - __start_hot) / 2;
	size_t end = (size_t)(to - __start_hot + 1) / 2;
	uint64_t n = 0;

	while (bin < end)
		n += bins[bin++];
	return n;
}

static bool refused(int ret, int error)
{
	return ret == -1 && errno == error;
}

static void test_shares(void)
{
	struct profil_counts c;
	uint64_t t, o;
	double share;

	start_hot();
	burn(2000);
	stop();
	c = counts();
	/* Sections keep the order of the file. */
	t = sum((char *)three, (char *)one);
	o = sum((char *)one, __stop_hot);
	share = 100.0 * (double)t / (double)(t + o);
	printf("# %llu and %llu samples: %.1f %%\n", (unsigned long long)t,
	       (unsigned long long)o, share);
	result(share > 70 && share < 80, "profil: two functions, 3 to 1");
	printf("# seen %llu binned %llu outside %llu lost %llu pending %llu\n",
	       (unsigned long long)c.seen, (unsigned long long)c.binned,
	       (unsigned long long)c.outside, (unsigned long long)c.lost,
	       (unsigned long long)c.pending);
	result(c.seen >= 2000 && c.seen == c.binned + c.outside && !c.lost &&
	       !c.pending && t + o == c.binned, "profil: the books balance");
	result(!c.on && !c.reason && c.hz, "profil: the books say off");
}

static void test_state(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	static unsigned short other[BINS];

	start_hot();
	result(counts().on, "profil: on");
	result(refused(call(bins, 64, 0, 0x20001), EINVAL) && counts().on,
	       "profil: EINVAL leaves the profile on");
	result(refused(call(page, 4096, 0, 0x10000), EFAULT) && !counts().on,
	       "profil: EFAULT ends it");
	start_hot();
	result(call(bins, 1, 0, 0x10000) == 0 && !counts().on,
	       "profil: a buffer of less than a counter ends it");
	start_hot();
	result(call(bins, 64, 0, 0) == 0 && !counts().on, "profil: scale 0");
	start_hot();
	burn(10);
	result(call(other, sizeof(other), (size_t)__start_hot, 0x10000) == 0 &&
	       counts().seen < 10, "profil: a second call replaces the first");
	memset(bins, 0, sizeof(bins));
	burn(10);
	stop();
	result(!sum(__start_hot, __stop_hot), "profil: and ends it");
	munmap(page, 4096);
}

static void test_signals(void)
{
	struct itimerval timer;
	struct sigaction action;
	sigset_t prof;

	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	sigprocmask(SIG_BLOCK, &prof, NULL);
	start_hot();
	burn(20);
	getitimer(ITIMER_PROF, &timer);
	sigaction(SIGPROF, NULL, &action);
	sigpending(&prof);
	result(sum(__start_hot, __stop_hot) && !sigismember(&prof, SIGPROF) &&
	       action.sa_handler == SIG_DFL && !timer.it_interval.tv_usec &&
	       !timer.it_value.tv_usec, "profil: no signal, no timer");
	stop();
	sigprocmask(SIG_UNBLOCK, &prof, NULL);
}

static int descriptors(void)
{
	struct stat st, device;
	int fd, n = 0;

	if (stat("/dev/profil", &device) != 0)
		abort();
	for (fd = 0; fd < 1000; fd++)
		n += fstat(fd, &st) == 0 && st.st_rdev == device.st_rdev;
	return n;
}

static void test_descriptors(void)
{
	int fd;

	start_hot();
	result(descriptors() == 1, "profil: one descriptor while on");
	stop();
	result(!descriptors(), "profil: none while off");
	start_hot();
	for (fd = 3; fd < 1000; fd++)
		close(fd);
	burn(10);
	result(counts().on && stop() == 0 && !counts().on && !descriptors(),
	       "profil: goes on, and ends, with its descriptor closed");
	start_hot();
	for (fd = 3; fd < 1000; fd++)
		close(fd);
	for (fd = 3; fd < 300; fd++)
		if (open("/dev/null", O_RDONLY) != fd)
			abort();
	result(stop() == 0 && !descriptors() && fcntl(250, F_GETFD) == 0,
	       "profil: a descriptor that is another's now is left alone");
	for (fd = 3; fd < 300; fd++)
		close(fd);
}

static void test_regions(void)
{
	static uint32_t wide[BINS], over[1];
	static uint64_t wider[BINS];
	struct prof profs[] = {
		{ wide, sizeof(wide), (size_t)three, 0x20000 },
		{ over, sizeof(over), 0, 2 },
	};
	struct timeval tick = { 9, 9 };
	struct profil_counts c;
	uint64_t n = 0;
	size_t i;

	if (refused(sprofil(profs, 1, &tick, PROF_UINT), EOPNOTSUPP)) {
		puts("# this kernel has 16-bit counters only");
		return;
	}
	burn(20);
	sprofil(NULL, 0, NULL, 0);
	c = counts();
	for (i = 0; i < BINS; i++)
		n += wide[i];
	result(n && n == c.binned, "sprofil: 32-bit counters");
	result(!tick.tv_sec && tick.tv_usec == (int)(1000000 / c.hz),
	       "sprofil: the tick is the kernel's");
	profs[0].pr_base = wider;
	profs[0].pr_size = sizeof(wider);
	result(sprofil(profs, 1, NULL, PROF_UINT64) == 0,
	       "sprofil: 64-bit counters");
	burn(20);
	sprofil(NULL, 0, NULL, 0);
	c = counts();
	for (i = 0, n = 0; i < BINS; i++)
		n += wider[i];
	result(n && n == c.binned, "sprofil: 64-bit counters count");
	profs[0].pr_base = wide;
	profs[0].pr_size = (size_t)((char *)one - (char *)three) * 2;
	memset(wide, 0, sizeof(wide));
	if (refused(sprofil(profs, 2, NULL, PROF_UINT), E2BIG)) {
		puts("# this kernel has one region only");
		return;
	}
	burn(40);
	sprofil(NULL, 0, NULL, 0);
	c = counts();
	for (i = 0, n = over[0]; i < BINS; i++)
		n += wide[i];
	result(over[0] && n == c.binned && n == c.seen,
	       "sprofil: the overflow bin takes the rest");
}

/* In a child, because there is no way back. */
static void in_child(bool (*test)(void), const char *name)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(!test());
	result(waitpid(pid, &status, 0) == pid && !status, name);
}

static bool without_device(void)
{
	start_hot();
	return chdir("/proc") == 0 && chroot(".") == 0 && stop() == 0 &&
	       refused(start_hot(), ENODEV);
}

/* The default backend has nothing to end the kernel's profile by. */
static bool without_descriptor(void)
{
	unsetenv("PROFIL_BACKEND");
	start_hot();
	closefrom(3);
	return chdir("/proc") == 0 && chroot(".") == 0 &&
	       refused(start_hot(), ENODEV);
}

static bool without_memory(void)
{
	struct rlimit none = { 0, 0 };

	return setrlimit(RLIMIT_MEMLOCK, &none) == 0 && setuid(65534) == 0 &&
	       refused(start_hot(), ENOMEM);
}

int main(void)
{
	setenv("PROFIL_BACKEND", "kernel", 1);
	result(profil_backend() == PROFIL_BACKEND_KERNEL &&
	       !strcmp(profil_backend_name(), "kernel"), "the kernel serves");
	test_shares();
	test_state();
	test_signals();
	test_descriptors();
	test_regions();
	in_child(without_device, "profil: ends in a chroot without the device");
	in_child(without_descriptor, "profil: no other where one can't be ended");
	in_child(without_memory, "profil: ENOMEM where RLIMIT_MEMLOCK is 0");
	return finish();
}
