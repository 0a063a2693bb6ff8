// SPDX-License-Identifier: MIT
/*
 * The inline chains of sorted pcs, by one walk over each unit that has one.
 *
 * The walk gives each pc the function that has it in a range; what is inside of
 * it comes later in the walk and takes the place.  DWARF may be hostile: each
 * entry must lie behind the one before it, and the walk ends after so many.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "naming.h"
#include "util.h"

#define MAX_DEPTH	256
#define MAX_RANGES	100000
#define MAX_CHAIN	64
#define MAX_ENTRIES	50000000	/* ranges and their places, of one object */

/* A function, or one inlined, that has a pc. */
struct node {
	Dwarf_Die die;
	int parent;		/* what it is inlined in, or -1 */
};

struct walk {
	struct model *m;
	struct place *places;
	size_t nr;
	size_t unit;		/* its number, from 1 on */
	size_t *here;		/* its places, each once */
	size_t nr_here;
	struct node *nodes;
	size_t nr_nodes;
	bool all;		/* also into what has no pc */
	size_t left;		/* entries that may still be walked */
};

/* The first place at or above an address. */
static size_t first_at(const struct walk *w, uint64_t address)
{
	size_t low = 0, high = w->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (w->places[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Counts the places in the entry's ranges; those get the node, if it is not
 * negative.  *ranges says whether the entry has any.
 */
static size_t take_die(struct walk *w, Dwarf_Die *die, int node, bool *ranges)
{
	Dwarf_Addr base, low, high;
	size_t i, found = 0, left = MAX_RANGES;
	ptrdiff_t at = 0;

	*ranges = false;
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 && left-- &&
	       w->left) {
		w->left--;
		*ranges = true;
		for (i = first_at(w, low); w->left &&
		     i < w->nr && w->places[i].address < high; i++) {
			w->left--;
			if (node >= 0)
				w->places[i].node = node;
			found++;
		}
	}
	return found;
}

static int new_node(struct walk *w, const Dwarf_Die *die, int parent)
{
	w->nodes = xgrow(w->nodes, w->nr_nodes, sizeof(*w->nodes));
	w->nodes[w->nr_nodes] = (struct node){ *die, parent };
	return w->nr_nodes++;
}

static void walk_children(struct walk *w, Dwarf_Die *die, int parent,
			  unsigned int depth);

static void walk_entry(struct walk *w, Dwarf_Die *die, int parent,
		       unsigned int depth)
{
	bool ranges;
	size_t found;
	int node;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		parent = -1;
		/* Fall through. */
	case DW_TAG_inlined_subroutine:
		found = take_die(w, die, -1, &ranges);
		if (found) {
			node = new_node(w, die, parent);
			take_die(w, die, node, &ranges);
			walk_children(w, die, node, depth);
		} else if (w->all) {
			walk_children(w, die, -1, depth);
		}
		break;
	case DW_TAG_lexical_block:
		if (take_die(w, die, -1, &ranges) || !ranges || w->all)
			walk_children(w, die, parent, depth);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		walk_children(w, die, parent, depth);
		break;
	}
}

static void walk_children(struct walk *w, Dwarf_Die *die, int parent,
			  unsigned int depth)
{
	Dwarf_Off before = dwarf_dieoffset(die);
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(die, &child))
		return;
	do {
		if (dwarf_dieoffset(&child) <= before || !w->left)
			return;
		w->left--;
		before = dwarf_dieoffset(&child);
		walk_entry(w, &child, parent, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static const char *name_of(struct model *m, Dwarf_Die *die,
			   const char **system_name)
{
	static const unsigned int linkage[] = {
		DW_AT_linkage_name, DW_AT_MIPS_linkage_name
	};
	const char *name = NULL;
	Dwarf_Attribute attr;
	size_t i;

	for (i = 0; i < 2 && !name; i++)
		name = dwarf_formstring(dwarf_attr_integrate(die, linkage[i],
							     &attr));
	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name,
							     &attr));
	*system_name = model_string(m, name);
	return name ? model_string(m, demangle(name)) : NULL;
}

/* The name of the file that an attribute has the number of, or NULL. */
static const char *file_of(Dwarf_Die *die, Dwarf_Attribute *attr)
{
	Dwarf_Die unit, near = *die;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nr;

	if (dwarf_formudata(attr, &number))
		return NULL;
	/* The attribute of an abstract function is another unit's. */
	near.cu = attr->cu;
	if (!dwarf_diecu(&near, &unit, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &nr) || number >= nr)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static int64_t line_of(Dwarf_Attribute *attr)
{
	Dwarf_Word number;

	return !dwarf_formudata(attr, &number) && number <= INT32_MAX ?
	       (int64_t)number : 0;
}

/* The outermost has the name that the profile has, which is what ran. */
static uint32_t function_of(struct model *m, const struct location *loc,
			    Dwarf_Die *die, bool outermost, const char *file)
{
	struct function function = { 0 };
	const char *declared;
	Dwarf_Attribute attr;

	if (outermost && !naming_lacks(m, loc))
		function = m->functions[loc->lines[loc->nr_lines - 1].function];
	else
		function.name = name_of(m, die, &function.system_name);
	if (!function.name)
		function.name = "[no name]";
	function.file = file;
	function.start_line = 0;
	if (dwarf_attr_integrate(die, DW_AT_decl_file, &attr)) {
		declared = file_of(die, &attr);
		if (declared && file && !strcmp(declared, file) &&
		    dwarf_attr_integrate(die, DW_AT_decl_line, &attr))
			function.start_line = line_of(&attr);
	}
	return model_function(m, &function);
}

static void set_lines(struct walk *w, Dwarf_Die *unit, struct place *place)
{
	const struct location *loc = &w->m->locations[place->location];
	struct line chain[MAX_CHAIN];
	Dwarf_Attribute attr;
	Dwarf_Line *source;
	const char *file = NULL;
	int64_t line = 0;
	int number, node;
	size_t nr = 0;

	source = dwarf_getsrc_die(unit, place->address);
	if (source) {
		file = dwarf_linesrc(source, NULL, NULL);
		if (!dwarf_lineno(source, &number) && number > 0)
			line = number;
	}
	for (node = place->node; node >= 0 && nr < MAX_CHAIN;
	     node = w->nodes[node].parent) {
		Dwarf_Die *die = &w->nodes[node].die;
		bool outermost = w->nodes[node].parent < 0;

		chain[nr].function = function_of(w->m, loc, die, outermost,
						 file);
		chain[nr++].line = line;
		/* Where it was called, in the function that it is in. */
		file = NULL;
		line = 0;
		if (dwarf_attr(die, DW_AT_call_file, &attr))
			file = file_of(die, &attr);
		if (dwarf_attr(die, DW_AT_call_line, &attr))
			line = line_of(&attr);
	}
	/* Assembly has lines and no functions. */
	if (!nr && source && loc->nr_lines) {
		struct function function =
			w->m->functions[loc->lines[0].function];

		function.file = file;
		chain[0].function = model_function(w->m, &function);
		chain[nr++].line = line;
	}
	if (nr)
		model_set_lines(w->m, place->location, chain, nr);
	place->is_set = nr;
}

/* Each place once, and by one unit, because ranges may overlap. */
static void find_places(struct walk *w, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	size_t i, left = MAX_RANGES;
	struct place *place;
	ptrdiff_t at = 0;

	w->nr_here = 0;
	while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0 && left-- &&
	       w->left) {
		w->left--;
		for (i = first_at(w, low); w->left &&
		     i < w->nr && w->places[i].address < high; i++) {
			place = &w->places[i];
			w->left--;
			if (place->is_set || place->unit == w->unit)
				continue;
			place->unit = w->unit;
			place->node = -1;
			w->here[w->nr_here++] = i;
		}
	}
}

static bool lacks_function(const struct walk *w)
{
	size_t i;

	for (i = 0; i < w->nr_here; i++)
		if (w->places[w->here[i]].node < 0)
			return true;
	return false;
}

static void walk_unit(struct walk *w, Dwarf_Die *unit, Dwarf_Die *split)
{
	Dwarf_Die *top = split->cu ? split : unit;
	size_t i;

	w->unit++;
	find_places(w, unit);
	if (!w->nr_here)
		return;
	w->nr_nodes = 0;
	w->all = false;
	walk_children(w, top, -1, 0);
	/* A function may be below another that has no pc itself. */
	if (lacks_function(w)) {
		w->all = true;
		walk_children(w, top, -1, 0);
	}
	for (i = 0; i < w->nr_here; i++)
		set_lines(w, unit, &w->places[w->here[i]]);
}

void inline_resolve(struct model *m, Dwarf *dwarf, struct place *places,
		    size_t nr)
{
	struct walk w = { .m = m, .places = places, .nr = nr,
			  .here = xcalloc(nr, sizeof(*w.here)),
			  .left = MAX_ENTRIES };
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	uint8_t type;

	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, &split))
		if (type != DW_UT_type && type != DW_UT_split_type)
			walk_unit(&w, &unit, &split);
	free(w.here);
	free(w.nodes);
}
