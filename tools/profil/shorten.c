// SPDX-License-Identifier: MIT
/*
 * Names that are wider than their column.
 *
 * The end of a C++ or Rust name is the function's own, so it stays: first what the
 * function takes becomes "(...)", then what a template is made of "<...>", and
 * then what it is part of "...".  The end is cut where that is not enough.
 */
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "util.h"

/* "<" and ">" that are an operator's name, or of "->". */
static bool is_symbol(const char *name, const char *at)
{
	const char *begin = at;

	if (*at == '>' && at > name && at[-1] == '-')
		return true;
	while (begin > name && strchr("<>=-", begin[-1]))
		begin--;
	return begin - name >= 8 && !memcmp(begin - 8, "operator", 8);
}

/* Where the bracket at "at" is closed, or NULL. */
static char *find_closing(char *name, char *at)
{
	char open = *at, close = open == '(' ? ')' : '>';
	size_t depth = 0;

	for (; *at; at++) {
		if (open == '<' && (*at == open || *at == close) &&
		    is_symbol(name, at))
			continue;
		if (*at == open)
			depth++;
		else if (*at == close && !--depth)
			return at;
	}
	return NULL;
}

/* What stands between two brackets becomes "...".  Returns the second. */
static char *fold_brackets(char *open, char *close)
{
	if (close - open <= 4)
		return close;
	memset(open + 1, '.', 3);
	memmove(open + 4, close, strlen(close) + 1);
	return open + 4;
}

/* The last brackets, if nothing but "const" and the like comes after them. */
static void fold_arguments(char *name)
{
	static const char anonymous[] = "(anonymous namespace)";
	char *at, *close = NULL, *open = NULL;

	for (at = strchr(name, '('); at; at = strchr(close, '(')) {
		close = find_closing(name, at);
		if (!close)
			return;
		open = at;
	}
	if (open && open > name && !strchr(close, ':') && !strchr(close, '.') &&
	    strncmp(open, anonymous, sizeof(anonymous) - 1) != 0)
		fold_brackets(open, close);
}

static void fold_templates(char *name)
{
	char *at = name, *close;

	while ((at = strchr(at, '<'))) {
		/* Rust's "<T as Trait>::method" has its name in them. */
		close = at > name && !is_symbol(name, at) ?
			find_closing(name, at) : NULL;
		at = close ? fold_brackets(at, close) : at + 1;
	}
}

/* The longest end that fits with "..." before it and begins with "::"; or all. */
static const char *last_parts(const char *name, size_t columns)
{
	const char *at = name;

	while ((at = strstr(at, "::"))) {
		if (text_columns(at) + 3 <= columns)
			return at;
		at += 2;
	}
	return name;
}

void print_name(FILE *out, const char *name, size_t columns)
{
	char *text = text_safe(name);
	const char *end = text;

	if (columns && text_columns(text) > columns)
		fold_arguments(text);
	if (columns && text_columns(text) > columns)
		fold_templates(text);
	if (columns && text_columns(text) > columns)
		end = last_parts(text, columns);
	if (end > text)
		fprintf(out, "...%s", end);
	else
		print_cut(out, text, columns);
	free(text);
}
