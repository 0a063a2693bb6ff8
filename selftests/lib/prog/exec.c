// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec WAY CALL FILE: executes FILE by one of the calls, from one of the places
 * that a program may do so.  With -DEARLY the three are of the environment, and an
 * object's constructor does it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *call, *file;

static bool calls(const char *name)
{
	return !strcmp(call, name);
}

static void execute(void)
{
	char *argv[] = { (char *)file, "one", "two", NULL };
	char *envp[] = { "LOOK=there", NULL };

	if (calls("execve"))
		execve(file, argv, envp);
	else if (calls("execv"))
		execv(file, argv);
	else if (calls("execvp"))
		execvp(file, argv);
	else if (calls("execvpe"))
		execvpe(file, argv, envp);
	else if (calls("fexecve"))
		fexecve(open(file, O_RDONLY), argv, envp);
#ifdef HAS_EXECVEAT
	else if (calls("execveat"))
		execveat(AT_FDCWD, file, argv, envp, 0);
#endif
	else if (calls("execl"))
		execl(file, file, "one", "two", NULL);
	else if (calls("execlp"))
		execlp(file, file, "one", "two", NULL);
	else if (calls("execle"))
		execle(file, file, "one", "two", NULL, envp);
}

static void *execute_in_thread(void *unused)
{
	execute();
	return unused;
}

static int wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	return status != 0;
}

static bool has_timer(void)
{
	struct itimerval timer;

	return getitimer(ITIMER_PROF, &timer) == 0 &&
	       (timer.it_interval.tv_sec || timer.it_interval.tv_usec);
}

/* A sample that is due when the signal is blocked. */
static void leave_one_pending(void)
{
	sigset_t prof;

	sigemptyset(&prof);
	sigaddset(&prof, SIGPROF);
	sigprocmask(SIG_BLOCK, &prof, NULL);
	kill(getpid(), SIGPROF);
}

static int fail_and_go_on(void)
{
	bool had = has_timer();
	int error;

	errno = 0;
	execute();
	error = errno;
	printf("%s, timer %s\n", strerror(error),
	       has_timer() == had ? "as before" : "not as before");
	return 0;
}

static int execute_so(const char *way)
{
	struct itimerval timer = { { 1000, 0 }, { 1000, 0 } };
	pthread_t thread;
	bool had = has_timer();
	pid_t pid;

	if (!strcmp(way, "fails"))
		return fail_and_go_on();
	if (!strcmp(way, "vfork")) {
		pid = vfork();
		if (pid == 0) {
			execute();
			_exit(errno);
		}
		return wait_for(pid) || had != has_timer();
	}
	if (!strcmp(way, "fork")) {
		pid = fork();
		if (pid)
			return wait_for(pid);
	} else if (!strcmp(way, "thread")) {
		pthread_create(&thread, NULL, execute_in_thread, NULL);
		pthread_join(thread, NULL);
	} else if (!strcmp(way, "own")) {
		setitimer(ITIMER_PROF, &timer, NULL);
	} else if (!strcmp(way, "pending")) {
		leave_one_pending();
	}
	execute();
	return 126;
}

#ifdef EARLY
static __attribute__((constructor)) void begin_early(void)
{
	call = getenv("CALL");
	file = getenv("FILE");
	if (!call)
		return;
	unsetenv("LD_PRELOAD");
	fflush(NULL);
	exit(execute_so(getenv("WAY")));
}
#else
int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	call = argv[2];
	file = argv[3];
	return execute_so(argv[1]);
}
#endif
