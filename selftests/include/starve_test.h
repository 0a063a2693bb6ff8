/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests that keep the module's workers from running: real-time processes on
 * all CPUs, one of them the caller.
 */
#ifndef PROFIL_STARVE_TEST_H
#define PROFIL_STARVE_TEST_H

#include <signal.h>
#include <sys/prctl.h>

#include "machine_test.h"

static pid_t hogs[16];

static inline int take_all_cpus(void)
{
	int i, fds[2], cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char c = 0;

	if (cpus > 16 || pipe(fds))
		return -1;
	for (i = 1; i < cpus; i++) {
		hogs[i] = fork();
		if (!hogs[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			/* Its own ticks must not be in the sums. */
			stop();
			c = run_alone_on(i);
			write(fds[1], &c, 1);
			while (!c)
				hot_b(1000000);
			_exit(0);
		}
		if (read(fds[0], &c, 1) != 1 || c)
			return -1;
	}
	close(fds[0]);
	close(fds[1]);
	return run_alone_on(0);
}

static inline void give_cpus_back(void)
{
	int i;

	run_beside_others();
	for (i = 1; i < 16 && hogs[i]; i++) {
		kill(hogs[i], SIGKILL);
		waitpid(hogs[i], NULL, 0);
		hogs[i] = 0;
	}
}

#endif /* PROFIL_STARVE_TEST_H */
