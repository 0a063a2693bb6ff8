// SPDX-License-Identifier: MIT
/*
 * Runs a command as a container's default does: without the system calls that
 * Docker's list refuses to a process without capabilities.
 *
 *	sandbox refused		exits with 0 if perf is refused here
 *	sandbox COMMAND ARG...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const unsigned int refused[] = {
	SYS_acct, SYS_add_key, SYS_bpf, SYS_clock_adjtime, SYS_clock_settime,
	SYS_delete_module, SYS_fanotify_init, SYS_finit_module,
	SYS_init_module, SYS_io_uring_enter, SYS_io_uring_register,
	SYS_io_uring_setup, SYS_kexec_load, SYS_keyctl, SYS_mount,
	SYS_move_pages, SYS_open_by_handle_at, SYS_perf_event_open,
	SYS_pivot_root, SYS_quotactl, SYS_reboot, SYS_request_key, SYS_setns,
	SYS_settimeofday, SYS_swapoff, SYS_swapon, SYS_syslog, SYS_umount2,
	SYS_unshare, SYS_userfaultfd, SYS_vhangup,
};

static int filter(void)
{
	struct sock_filter code[2 * ARRAY_SIZE(refused) + 2];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;

	code[n++] = (struct sock_filter)
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		code[n++] = (struct sock_filter)
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
		code[n++] = (struct sock_filter)
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	code[n++] = (struct sock_filter)
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	if (argc < 2 || filter()) {
		perror("sandbox");
		return 125;
	}
	if (strcmp(argv[1], "refused") == 0)
		return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) == 0 ||
		       errno != EPERM;
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
