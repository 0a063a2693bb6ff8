// SPDX-License-Identifier: GPL-2.0-only
/*
 * A signal comes in the middle of monstartup(): the library calls a function that
 * this program stands in for.
 *
 * start_handler backend	it asks for PROFIL_BACKEND; the handler calls
 *				moncontrol(1)
 * start_handler pause		it begins to sample; the handler calls
 *				moncontrol(0), so that no call is counted
 * start_handler write		the same; the handler calls _mcleanup and _exit
 * start_handler choose		profil_backend() in the program and in the handler
 */
#define _GNU_SOURCE
#include <profil.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

extern char __executable_start, etext;

static const char *how = "";
static bool handled;

static void counted(void)
{
	__asm__ volatile ("");
}

static void handler(int signo)
{
	(void)signo;
	handled = true;
	if (!strcmp(how, "backend"))
		moncontrol(1);
	if (!strcmp(how, "choose"))
		profil_backend();
	if (!strcmp(how, "pause"))
		moncontrol(0);
	if (!strcmp(how, "write")) {
		_mcleanup();
		_exit(0);
	}
}

char *secure_getenv(const char *name)
{
	if ((!strcmp(how, "backend") || !strcmp(how, "choose")) &&
	    !strcmp(name, "PROFIL_BACKEND"))
		raise(SIGALRM);
	return getenv(name);
}

int madvise(void *start, size_t size, int advice)
{
	if (*how && strcmp(how, "backend") && strcmp(how, "choose") &&
	    !handled && advice == MADV_POPULATE_WRITE)
		raise(SIGALRM);
	return (int)syscall(SYS_madvise, start, size, advice);
}

int main(int argc, char **argv)
{
	signal(SIGALRM, handler);
	how = argc > 1 ? argv[1] : "";
	if (!strcmp(how, "choose"))
		return profil_backend() == PROFIL_BACKEND_NONE || !handled;
	monstartup(&__executable_start, &etext);
	counted();
	_mcleanup();
	return handled ? 0 : 2;
}
