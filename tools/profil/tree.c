// SPDX-License-Identifier: MIT
/* Adding the samples of a profile up to the tree of the picture. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rows_out.h"
#include "tree.h"
#include "util.h"

/* More are one node, because a browser draws no more either. */
#define MAX_ROWS	5000

struct node {
	enum tree_kind kind;
	const char *name;	/* interned */
	uint64_t samples;
	struct node **children;
	size_t nr;
};

struct names {
	struct model *m;
	uint32_t *index;	/* of the model's string, + 1; 0: not printed */
	const char **list;
	size_t nr;
};

static struct node *child(struct node *node, enum tree_kind kind,
			  const char *name, uint64_t samples)
{
	struct node *found = NULL;
	size_t i;

	/* Children are few but for lines, of which the last is most likely. */
	for (i = node->nr; i-- && !found;)
		if (node->children[i]->kind == kind &&
		    node->children[i]->name == name)
			found = node->children[i];
	if (!found) {
		found = xcalloc(1, sizeof(*found));
		found->kind = kind;
		found->name = name;
		node->children = xgrow(node->children, node->nr,
				       sizeof(*node->children));
		node->children[node->nr++] = found;
	}
	found->samples += samples;
	return found;
}

static void add_location(struct model *m, struct node *node,
			 const struct location *loc, uint64_t samples)
{
	const struct function *function;
	const struct line *line;
	size_t i = loc->nr_lines;
	char *text;

	if (!i) {
		child(node, TREE_FUNCTION, unnamed(m, loc), samples);
		return;
	}
	function = &m->functions[loc->lines[i - 1].function];
	if (*function->file)
		node = child(node, TREE_FILE, function->file, samples);
	while (i--) {
		line = &loc->lines[i];
		function = &m->functions[line->function];
		node = child(node, i + 1 == loc->nr_lines ? TREE_FUNCTION :
			     TREE_INLINED, function->name, samples);
	}
	line = &loc->lines[0];
	if (!line->line)
		return;
	text = xasprintf("%s:%" PRId64, base_name(function->file), line->line);
	child(node, TREE_LINE, model_string(m, text), samples);
	free(text);
}

static void add_sample(struct model *m, struct node *root,
		       const struct sample *sample)
{
	const struct location *loc = &m->locations[sample->locations[0]];
	struct node *object;
	const char *name;

	root->samples += sample->count;
	if (sample_kernel(sample) >= 0) {
		object = child(root, TREE_OBJECT,
			       model_string(m, KERNEL_OBJECT), sample->count);
		child(object, TREE_FUNCTION, sample_kernel_name(m, sample),
		      sample->count);
		return;
	}
	name = loc->mapping ? m->mappings[loc->mapping].path : "";
	if (!*name)
		name = model_string(m, "[no object]");
	object = child(root, TREE_OBJECT, name, sample->count);
	add_location(m, object, loc, sample->count);
}

static int by_samples(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a;
	const struct node *y = *(struct node *const *)b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->name, y->name);
}

static size_t name_index(struct names *names, const char *name)
{
	uint32_t *index = &names->index[model_string_nr(name)];

	if (!*index) {
		names->list = xgrow(names->list, names->nr,
				    sizeof(*names->list));
		names->list[names->nr++] = name;
		*index = names->nr;
	}
	return *index - 1;
}

static void print_node(struct names *names, struct node *node, FILE *out)
{
	size_t i;

	if (node->nr)
		qsort(node->children, node->nr, sizeof(*node->children),
		      by_samples);
	fprintf(out, "[%d,%zu,%" PRIu64, node->kind,
		name_index(names, node->name), node->samples);
	if (node->nr) {
		fputs(",[", out);
		for (i = 0; i < node->nr; i++) {
			if (i)
				fputc(',', out);
			print_node(names, node->children[i], out);
		}
		fputc(']', out);
	}
	fputc(']', out);
}

static void print_rows(struct names *names, const struct rows *rows, FILE *out)
{
	size_t i;

	for (i = 0; i < rows->nr && i < MAX_ROWS; i++)
		fprintf(out, "%s[%zu,%zu,%" PRIu64 ",%" PRIu64 "]",
			i ? "," : "", name_index(names, rows->list[i].name),
			name_index(names, rows->list[i].object),
			rows->list[i].self, rows->list[i].total);
}

static void free_node(struct node *node)
{
	size_t i;

	for (i = 0; i < node->nr; i++)
		free_node(node->children[i]);
	free(node->children);
	free(node);
}

void tree_json(struct model *m, FILE *out)
{
	struct node *root = xcalloc(1, sizeof(*root));
	struct names names = { .m = m };
	struct rows rows = rows_make(m, BY_FUNCTION);
	size_t i;

	root->name = model_string(m, "all");
	for (i = 0; i < m->nr_samples; i++)
		add_sample(m, root, &m->samples[i]);
	names.index = xcalloc(m->nr_texts, sizeof(*names.index));
	fprintf(out, "{\"n\":%" PRIu64 ",\"r\":[", rows.samples);
	print_rows(&names, &rows, out);
	fputs("],\"t\":", out);
	print_node(&names, root, out);
	fputs(",\"s\":[", out);
	for (i = 0; i < names.nr; i++) {
		if (i)
			fputc(',', out);
		json_string(out, names.list[i]);
	}
	fputs("]}", out);
	free(names.index);
	free(names.list);
	rows_free(&rows);
	free_node(root);
}
