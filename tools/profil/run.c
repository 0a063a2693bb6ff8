// SPDX-License-Identifier: MIT
/*
 * profil run: starts a program, records it to its end, and ends as it did.
 *
 * The child joins the observer and executes the program.  All that this command
 * changes for itself (signals, limits, descriptors) the child undoes or never
 * had, so that the program finds what it would find without.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "process.h"
#include "record.h"
#include "util.h"

#define STATUS_OWN	125	/* the program was not started */
#define STATUS_NOT_RUN	126
#define STATUS_NO_FILE	127

static void print_usage(FILE *out)
{
	fputs("usage: profil run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	      "\n"
	      "Runs PROGRAM and records where it and all that it starts spend their CPU\n"
	      "time.  The exit status is the program's.\n"
	      "\n"
	      "  -o FILE                 the profile (./profil.pb.gz)\n"
	      "  -r RATE                 samples a second of CPU time (1000)\n"
	      "  -q                      no summary\n"
	      "  --no-follow             not what the program starts\n"
	      "  --no-paths              not what called what\n"
	      WINDOW_USAGE, out);
}

/* What the program gets back, and how it tells that it was not executed. */
struct start {
	char **program;
	const struct recording *r;
	bool follow;
	sigset_t mask;
	struct sigaction child;
	int tell[2];
};

/* What went wrong: a status, and an errno. */
struct failure {
	int status, err;
};

static void run_child(const struct start *start)
{
	struct failure failure = { .status = STATUS_OWN };

	sigaction(SIGCHLD, &start->child, NULL);
	sigprocmask(SIG_SETMASK, &start->mask, NULL);
	failure.err = observe_join_self(&start->r->observer, start->follow);
	if (!failure.err) {
		execvp(start->program[0], start->program);
		failure.err = errno;
		failure.status = errno == ENOENT ? STATUS_NO_FILE :
						   STATUS_NOT_RUN;
	}
	if (write(start->tell[1], &failure, sizeof(failure)) < 0)
		_exit(STATUS_OWN);
	_exit(failure.status);
}

static void say_failure(const struct failure *failure, const char *program)
{
	if (failure->status != STATUS_OWN)
		warn("%s: %s", program, strerror(failure->err));
	else if (failure->err == EBUSY)
		warn("%d observers watch this process already: run it outside of them",
		     PROFIL_OBSERVERS_MAX);
	else if (failure->err == EAGAIN)
		warn("too many processes of this user are watched");
	else
		warn("%s: PROFIL_IOC_JOIN: %s", PROFIL_DEVICE,
		     strerror(failure->err));
}

/* The child's pid, or minus the status with which to end. */
static pid_t start_program(struct start *start)
{
	struct failure failure;
	ssize_t size;
	pid_t pid;

	if (pipe2(start->tell, O_CLOEXEC)) {
		warn("pipe: %s", strerror(errno));
		return -STATUS_OWN;
	}
	pid = fork();
	if (!pid)
		run_child(start);
	close(start->tell[1]);
	if (pid < 0) {
		warn("fork: %s", strerror(errno));
		return -STATUS_OWN;
	}
	do {
		size = read(start->tell[0], &failure, sizeof(failure));
	} while (size < 0 && errno == EINTR);
	close(start->tell[0]);
	if (size != sizeof(failure))
		return pid;
	waitpid(pid, NULL, 0);
	say_failure(&failure, start->program[0]);
	return -failure.status;
}

/* Those that are sent to this command are for the program. */
static int catch_signals(struct start *start)
{
	static const int caught[] = {
		SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, 0
	};
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; caught[i]; i++)
		sigaddset(&set, caught[i]);
	sigaction(SIGCHLD, &plain, &start->child);
	sigprocmask(SIG_BLOCK, &set, &start->mask);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The terminal sends its signals to the whole process group. */
static void pass_on(int signals, pid_t pid)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
			kill(pid, (int)info.ssi_signo);
}

/* The child has its limits by now. */
static void raise_limits(void)
{
	sigset_t set;

	record_raise_files();
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void say_sudo(const struct recording *r)
{
	const char *uid = getenv("SUDO_UID");

	if (!r->quiet && !geteuid() && uid && strcmp(uid, "0") != 0)
		warn("sudo is not needed: profil run records any program of your own");
}

/* A shell on a terminal has started this command as a job, and can continue it. */
static bool is_job(void)
{
	int tty = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (tty < 0)
		return false;
	close(tty);
	return getpgrp() == getpid() && getsid(0) != getpid();
}

/* The shell has to see it if the program alone stops, as an editor does on ^Z. */
static void stop_with(pid_t pid)
{
	siginfo_t info;

	waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG);
	if (is_job()) {
		raise(SIGSTOP);
		kill(pid, SIGCONT);
	}
}

/* It stays to be waited for, with what /proc tells of its first thread. */
static bool has_ended(pid_t pid, siginfo_t *info)
{
	*info = (siginfo_t){ 0 };
	if (waitid(P_PID, (id_t)pid, info,
		   WEXITED | WSTOPPED | WNOHANG | WNOWAIT))
		return true;
	if (info->si_pid && info->si_code == CLD_STOPPED) {
		stop_with(pid);
		return false;
	}
	return info->si_pid;
}

/* A shell would say so, but it sees only a status; it is silent of these two. */
static void say_killed(const char *program, const siginfo_t *info)
{
	if ((info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED) &&
	    info->si_status != SIGINT && info->si_status != SIGPIPE)
		warn("%s was killed by signal %d: %s%s", program,
		     info->si_status, strsignal(info->si_status),
		     info->si_code == CLD_DUMPED ? " (core dumped)" : "");
}

static int record_program(struct recording *r, int signals, pid_t pid,
			  const char *program)
{
	struct pollfd poll_fd = { .fd = signals, .events = POLLIN };
	bool finished = false;
	siginfo_t info;
	int status = 0;

	raise_limits();
	while (!has_ended(pid, &info)) {
		if (!finished && record_is_over(r)) {
			record_finish(r);
			finished = true;
		}
		if (finished ? poll(&poll_fd, 1, -1) > 0 :
			       record_wait(r, signals))
			pass_on(signals, pid);
	}
	if (!r->quiet)
		say_killed(program, &info);
	if (!finished)
		record_finish(r);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

int cmd_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "no-follow", no_argument, NULL, 'n' },
		{ "no-paths", no_argument, NULL, 'P' },
		{ "control", required_argument, NULL, 'C' },
		{ "delay", required_argument, NULL, 'D' },
		{ "duration", required_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 }
	};
	struct recording r = { .window = WINDOW_NEW };
	struct start start = { .r = &r, .follow = true };
	double rate = RATE_DEFAULT;
	bool paths = true;
	int option, signals;
	pid_t pid;

	while ((option = getopt_long(argc, argv, "+d:D:ho:qr:", options, NULL)) >=
	       0) {
		switch (option) {
		case 'h':
			print_usage(stdout);
			return 0;
		case 'n':
			start.follow = false;
			break;
		case 'C':
		case 'd':
		case 'D':
			if (!window_option(&r.window, option, optarg))
				return STATUS_OWN;
			break;
		case 'P':
			paths = false;
			break;
		case 'o':
			r.output = optarg;
			break;
		case 'q':
			r.quiet = true;
			break;
		case 'r':
			if (!record_rate(optarg, &rate))
				return STATUS_OWN;
			break;
		default:
			print_usage(stderr);
			return STATUS_OWN;
		}
	}
	if (optind == argc) {
		print_usage(stderr);
		return STATUS_OWN;
	}
	start.program = argv + optind;
	if (!window_is_sane(&r.window) ||
	    !record_open(&r, (uint32_t)rate, paths, start.program))
		return STATUS_OWN;
	record_begin(&r, r.window.delay);
	say_sudo(&r);
	signals = catch_signals(&start);
	pid = signals < 0 ? -STATUS_OWN : start_program(&start);
	return pid < 0 ? -pid : record_program(&r, signals, pid,
					       start.program[0]);
}
