/* SPDX-License-Identifier: GPL-2.0-only */
/* What may be an address for monitor and monstartup; after <profil.h>. */
extern int etext();
extern char __executable_start;

int use(char *text, unsigned long address);

int use(char *text, unsigned long address)
{
	static short buf[100];
	static unsigned short unsigned_buf[100];
	int nfunc = 5;

	monitor((int)2, etext, buf, 100, nfunc);
	monitor(use, etext, unsigned_buf, sizeof(buf) / sizeof(short), 0);
	monitor(&__executable_start, text, buf, 100, 1);
	monitor(address, address + 100, buf, 100, 1);
	monstartup((int)2, etext);
	monstartup(text, use);
	monstartup(0, 0);
	monstartup(address, address + 100);
	moncontrol(0);
	moncontrol(1);
	monitor(0);
	return 0;
}
