// SPDX-License-Identifier: MIT
/*
 * Prints the address of each system call's instruction in an object, and the
 * number that is found for it.
 *
 *	entries FILE OFFSET SIZE ADDRESS [arm64]	of its text, in hexadecimal
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"

int main(int argc, char **argv)
{
	unsigned long at[3], size, i;
	unsigned char *text;
	bool arm64;
	FILE *in;

	if (argc < 5)
		return 2;
	for (i = 0; i < 3; i++)
		at[i] = strtoul(argv[2 + i], NULL, 16);
	size = at[1];
	text = malloc(size);
	in = fopen(argv[1], "rb");
	if (!text || !in || fseek(in, at[0], SEEK_SET) ||
	    fread(text, 1, size, in) != size)
		return 2;
	arm64 = argc > 5;
	for (i = ENTRY_CODE; i <= size; i += arm64 ? 4 : 1) {
		const unsigned char *from = text + i - ENTRY_CODE;

		/* int 0x80 and sysenter have no numbers here. */
		if (arm64 && entry_is_syscall(EM_AARCH64, from, ENTRY_CODE))
			printf("%lx %d\n", at[2] + i - 4,
			       entry_number(EM_AARCH64, from, ENTRY_CODE));
		if (!arm64 && text[i - 2] == 0x0f && text[i - 1] == 0x05)
			printf("%lx %d\n", at[2] + i - 2,
			       entry_number(EM_X86_64, from, ENTRY_CODE));
	}
	return 0;
}
