// SPDX-License-Identifier: GPL-2.0-only
/* The manual page's calls, in the C of its time: cc -include profil.h. */
short buf[20000];
int turns;
extern etext();

work()
{
	int i;

	for (i = 0; i < 3; i++)
		leaf();
}

leaf()
{
	turns++;
}

main(argc, argv)
	int argc;
	char **argv;
{
	if (argc > 1)
		monstartup((int)2, etext);
	else
		monitor((int)2, etext, buf, 20000, 50);
	work();
	monitor(0);
	return 0;
}
