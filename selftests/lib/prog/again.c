// SPDX-License-Identifier: GPL-2.0-only
/*
 * _mcleanup more than once, as a program does that will end by _exit; then
 * monstartup anew, which forgets what was before.
 */
#include <profil.h>
#include <stdio.h>
#include <unistd.h>

extern char __executable_start, etext;

static void before(void)
{
	__asm__ volatile ("");
}

static void after(void)
{
	__asm__ volatile ("");
}

int main(void)
{
	before();
	_mcleanup();
	monstartup((unsigned long)&__executable_start, (unsigned long)&etext);
	after();
	_mcleanup();
	moncontrol(1);
	after();
	_mcleanup();
	_mcleanup();
	/* Nothing is counted now. */
	after();
	if (write(STDOUT_FILENO, "after 2\n", 8) != 8)
		_exit(1);
	_exit(0);
}
