// SPDX-License-Identifier: GPL-2.0-only
/*
 * cancel CALL: a thread that is to be cancelled makes a call that is no
 * cancellation point in the C library.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/gmon.h>
#include <sys/profil.h>
#include <unistd.h>

extern char __executable_start, etext;

static unsigned short bins[64];

static void make_call(const char *call)
{
	struct prof prof = {
		.pr_base = bins,
		.pr_size = sizeof(bins),
		.pr_off = (size_t)&__executable_start,
		.pr_scale = 0x10000,
	};

	if (!strcmp(call, "exit"))
		exit(3);
	if (!strcmp(call, "_exit"))
		_exit(3);
	if (!strcmp(call, "profil"))
		profil(bins, sizeof(bins), prof.pr_off, 0x10000);
	if (!strcmp(call, "sprofil"))
		sprofil(&prof, 1, NULL, PROF_USHORT);
	if (!strcmp(call, "monstartup"))
		monstartup((unsigned long)&__executable_start,
			   (unsigned long)&etext);
}

static void *cancel_and_call(void *call)
{
	pthread_cancel(pthread_self());
	make_call(call);
	return call;
}

int main(int argc, char **argv)
{
	char *call = argc > 1 ? argv[1] : "";
	pthread_t thread;
	void *ret = NULL;

	if (pthread_create(&thread, NULL, cancel_and_call, call) != 0 ||
	    pthread_join(thread, &ret) != 0)
		return 1;
	return ret == call ? 4 : 5;
}
