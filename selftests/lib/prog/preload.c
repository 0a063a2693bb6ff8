// SPDX-License-Identifier: GPL-2.0-only
/* preload CALL: makes one call that the library stands before. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* exit_group() has an error, as under a filter that lets a thread end alone. */
static void refuse_exit_group(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	const char *call = argc > 1 ? argv[1] : "";
	char *again[] = { argv[0], NULL };
	char name[16] = "";

	if (!strcmp(call, "refused")) {
		refuse_exit_group();
		_exit(7);
	}
	if (!strcmp(call, "_exit"))
		_exit(7);
	if (!strcmp(call, "_Exit"))
		_Exit(7);
	if (!strcmp(call, "execvp"))
		execvp(argv[0], again);
	if (!strcmp(call, "execlp"))
		execlp(argv[0], argv[0], (char *)NULL);
	if (!strcmp(call, "prctl")) {
		prctl(PR_SET_NAME, "named", 0, 0, 0);
		prctl(PR_GET_NAME, name, 0, 0, 0);
		puts(name);
		printf("%d", prctl(-1, 0, 0, 0, 0));
		printf(" %s\n", strerror(errno));
	}
	return 0;
}
