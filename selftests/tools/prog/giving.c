// SPDX-License-Identifier: MIT
/*
 * What the kernel is given of a process: giving DEPTH prints the first bytes of
 * the memory that its maps are given with, and whether it still wants tables.
 * The process is this program, and its memory is not open.  giving end prints
 * what is known of a child before and after its end, of which nothing told.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tables.h"

static const char text[] = "my memory";

/* In place of observe.c's, by the linker. */
int __wrap_observe_give_maps(const struct observer *o, uint32_t image, int mem,
			     const struct profil_unwind_map *maps, size_t nr);

int __wrap_observe_give_maps(const struct observer *o, uint32_t image, int mem,
			     const struct profil_unwind_map *maps, size_t nr)
{
	char bytes[sizeof(text)] = "";

	(void)o;
	(void)maps;
	if (pread(mem, bytes, sizeof(bytes), (off_t)(uintptr_t)text) > 0)
		printf("image %u, %zu maps: %s\n", image, nr, bytes);
	return 0;
}

static int end_child(void)
{
	struct process *p = process_get(8);
	pid_t child = fork();
	siginfo_t info;

	if (!child)
		for (;;)
			pause();
	p->told = true;
	p->about.pid = child;
	p->about.phdr = (uintptr_t)text;
	p->view.mem = process_open_memory(p);
	processes_end_gone();
	puts(p->ended ? "has ended" : "runs");
	kill(child, SIGKILL);
	/* It stays a zombie, so that its pid is not free. */
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	processes_end_gone();
	puts(p->ended ? "has ended" : "runs");
	return 0;
}

int main(int argc, char **argv)
{
	struct observer o = { .depth = argc > 1 ? (uint32_t)atoi(argv[1]) : 1 };
	struct map map = { .start = 4096, .end = 8192, .name = "[anonymous]" };
	struct process *p = process_get(7);

	if (argc > 1 && !strcmp(argv[1], "end"))
		return end_child();
	p->about.pid = getpid();
	p->maps = (struct maps){ .list = &map, .nr = 1 };
	tables_want(p);
	tables_give(&o, now_ns());
	puts(p->wants_tables ? "wants more" : "wants no more");
	return 0;
}
