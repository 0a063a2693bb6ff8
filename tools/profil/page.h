/* SPDX-License-Identifier: MIT */
/* A page for the browser: the text of page.html with data in it. */
#ifndef PROFIL_PAGE_H
#define PROFIL_PAGE_H

#include <stdio.h>

struct page {
	const char *title;	/* safe to print, as is head */
	const char *head;
	char *data;		/* JSON, allocated */
	size_t size;
	FILE *memory;		/* where the data is printed to */
};

/* Begins the data, which the caller prints to page->memory. */
void page_begin(struct page *page);
/* Prints the page, and frees the data. */
void page_print(struct page *page, FILE *out);

#endif /* PROFIL_PAGE_H */
