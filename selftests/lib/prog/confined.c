// SPDX-License-Identifier: GPL-2.0-only
/*
 * A -pg program that gives up all rights before it ends: chroot, setresuid, and
 * a seccomp filter that kills at every system call but those of an end.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long turns;

static void three(void)
{
	int i;

	for (i = 0; i < 60000; i++)
		turns++;
}

static void one(void)
{
	int i;

	for (i = 0; i < 20000; i++)
		turns++;
}

static int confine(void)
{
	struct sock_filter code[4] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = 4,
		.filter = code,
	};

	return chroot("/proc") || chdir("/") || setresgid(99, 99, 99) ||
	       setresuid(99, 99, 99) ||
	       syscall(SYS_close_range, 0, ~0u, 0) ||
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	int i, status = 0;
	pid_t child;

	for (i = 0; i < 7000; i++) {
		three();
		one();
	}
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		child = fork();
		if (!child) {
			for (i = 0; i < 5; i++)
				one();
			exit(0);
		}
		waitpid(child, &status, 0);
		return status != 0;
	}
	if (argc > 1 && !strcmp(argv[1], "confine") && confine())
		return 1;
	return 0;
}
