// SPDX-License-Identifier: GPL-2.0-only
/* A program that is not profiled, and how it ends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only to write and to end; anything else kills. */
static void sandbox(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
	};
	struct sock_fprog program = { 5, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(1);
}

/* As a shell runs a command that is not there. */
static void vforked(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		_exit(127);
	waitpid(pid, NULL, 0);
	write(STDERR_FILENO, "after\n", 6);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "data")) {
		close(STDERR_FILENO);
		if (open("data", O_WRONLY | O_CREAT | O_TRUNC, 0666) != 2)
			return 1;
	} else if (!strcmp(how, "sandbox")) {
		sandbox();
	} else if (!strcmp(how, "vfork")) {
		vforked();
	} else if (!strcmp(how, "fork") && fork() == 0) {
		exit(0);
	}
	while (strcmp(how, "sandbox") && wait(NULL) > 0)
		;
	if (!strcmp(how, "_exit"))
		_exit(7);
	return 7;
}
