// SPDX-License-Identifier: MIT
/* Counts words by hash: the program of profil(1)'s examples. */
#include <stdio.h>
#include <string.h>

static unsigned int hash(const char *word)
{
	unsigned int h = 5381;

	while (*word)
		h = h * 33 + (unsigned char)*word++;
	return h;
}

static unsigned int seen[1 << 16];

static void split(char *text)
{
	for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n"))
		seen[hash(word) & 0xffff]++;
}

int main(void)
{
	static char line[4096];

	while (fgets(line, sizeof(line), stdin))
		split(line);
	return 0;
}
