// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the library where the surroundings are narrow.
 *
 * edges trap		profil(), and open() is a SIGSYS that a handler answers
 * edges trap_start	monstartup() there
 * edges sandbox	monstartup(), then a child that open() kills ends by exit()
 * edges full		profil_backend() with a message for a pipe that is full
 * edges full_start	monstartup() there
 * edges limit		monstartup(), then a child that sets a limit by ITIMER_PROF
 *			executes a program that passes it
 * edges locked		mlockall(), then monstartup(): the memory that it locks
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <profil.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char __executable_start, etext;

static unsigned short bins[4096];

static void confine(unsigned int answer)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(1);
}

static void answer_call(int signo, siginfo_t *info, void *context)
{
	ucontext_t *here = context;

	(void)signo;
	(void)info;
#if defined(__x86_64__)
	here->uc_mcontext.gregs[REG_RAX] = -EACCES;
#elif defined(__i386__)
	here->uc_mcontext.gregs[REG_EAX] = -EACCES;
#elif defined(__aarch64__)
	here->uc_mcontext.regs[0] = -EACCES;
#endif
}

static void trap_open(void)
{
	struct sigaction action = { .sa_sigaction = answer_call,
				    .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &action, NULL);
	confine(SECCOMP_RET_TRAP);
}

/* The end of what waits for the pipe is SIGALRM.  The library has it from the start. */
static void fill_pipe(const char *self, const char *then)
{
	char zero[4096] = "";
	int fds[2];

	if (pipe(fds) != 0 || fcntl(fds[1], F_SETFL, O_NONBLOCK) != 0)
		_exit(1);
	while (write(fds[1], zero, sizeof(zero)) > 0)
		;
	while (write(fds[1], zero, 1) > 0)
		;
	if (fcntl(fds[1], F_SETFL, 0) != 0 || dup2(fds[1], STDERR_FILENO) < 0)
		_exit(1);
	alarm(1);
	execl(self, self, then, (char *)NULL);
}

static void begin(void)
{
	monstartup(&__executable_start, &etext);
}

static int status_of(pid_t pid)
{
	int status;

	_mcleanup();
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static int in_sandbox(void)
{
	pid_t pid;

	begin();
	pid = fork();
	if (pid == 0) {
		confine(SECCOMP_RET_KILL);
		exit(0);
	}
	return status_of(pid);
}

static int with_limit(const char *self)
{
	const struct itimerval limit = { .it_value = { 0, 200000 } };
	pid_t pid;

	begin();
	pid = fork();
	if (pid == 0) {
		signal(SIGPROF, SIG_DFL);
		setitimer(ITIMER_PROF, &limit, NULL);
		execl(self, self, "burn", (char *)NULL);
		_exit(1);
	}
	return status_of(pid);
}

static long locked_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[200];
	long kib = -1;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmLck: %ld", &kib);
	if (file)
		fclose(file);
	return kib;
}

/* The memory of the stack's guard, 1 MiB, is not among it. */
static int lock_all(void)
{
	long before, after;

	if (mlockall(MCL_FUTURE) != 0)
		return 2;
	before = locked_kib();
	begin();
	after = locked_kib();
	printf("%ld KiB before, %ld after\n", before, after);
	fflush(stdout);
	return before < 0 || after - before > 900;
}

static int burn(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC;

	while (clock() < end)
		;
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "sandbox"))
		return in_sandbox();
	if (!strcmp(how, "limit"))
		return with_limit(argv[0]);
	if (!strcmp(how, "burn"))
		return burn();
	if (!strcmp(how, "locked"))
		_exit(lock_all());
	if (!strncmp(how, "trap", 4))
		trap_open();
	if (!strcmp(how, "full"))
		fill_pipe(argv[0], "choose");
	if (!strcmp(how, "full_start"))
		fill_pipe(argv[0], "then_start");
	if (strchr(how, '_'))
		begin();
	else if (!strcmp(how, "choose"))
		profil_backend();
	else
		profil(bins, sizeof(bins), (size_t)main, 65536);
	/* The file is not what this is about. */
	_exit(0);
}
