// SPDX-License-Identifier: MIT
/* The instructions of a function, as objdump prints them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate.h"
#include "util.h"

#define MAX_CODE	(1U << 22)	/* bytes of text */
#define MAX_SECONDS	30		/* of objdump's CPU time */

static int by_address(const void *a, const void *b)
{
	const struct heat *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

size_t heat_sort(struct heat *heat, size_t nr)
{
	size_t used = 0, i;

	if (nr)
		qsort(heat, nr, sizeof(*heat), by_address);
	for (i = 0; i < nr; i++) {
		if (used && heat[used - 1].address == heat[i].address)
			heat[used - 1].samples += heat[i].samples;
		else
			heat[used++] = heat[i];
	}
	for (i = 0; i < used; i++)
		heat[i].sum = heat[i].samples + (i ? heat[i - 1].sum : 0);
	return used;
}

/* The first heat at or above an address. */
static size_t heat_first(const struct heat *heat, size_t nr, uint64_t address)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (heat[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t heat_below(const struct heat *heat, size_t nr, uint64_t address)
{
	size_t first = heat_first(heat, nr, address);

	return first ? heat[first - 1].sum : 0;
}

static uint64_t heat_at(const struct heat *heat, size_t nr, uint64_t from,
			uint64_t to)
{
	return from < to ? heat_below(heat, nr, to) -
			   heat_below(heat, nr, from) : 0;
}

struct symbol {
	const char *name;
	uint64_t start, size;
	int number;		/* in the table: of two aliases the first */
};

static int by_size(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The function symbols, smallest first. */
static struct symbol *symbols_of(Dwfl_Module *module, size_t *nr_symbols)
{
	int nr = dwfl_module_getsymtab(module), i;
	struct symbol *list = xcalloc(1, sizeof(*list));
	GElf_Addr value, bias = 0;
	const char *name;
	size_t used = 0;
	GElf_Sym sym;

	dwfl_module_getelf(module, &bias);
	for (i = 1; i < nr; i++) {
		name = dwfl_module_getsym_info(module, i, &sym, &value, NULL,
					       NULL, NULL);
		if (!name || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		list = xgrow(list, used, sizeof(*list));
		list[used++] = (struct symbol){ name, value - bias, sym.st_size,
						i };
	}
	if (used)
		qsort(list, used, sizeof(*list), by_size);
	*nr_symbols = used;
	return list;
}

/* The first heat from i on that has no body; the way to it becomes shorter. */
static size_t next_left(size_t *next, size_t i)
{
	for (; next[i] != i; i = next[i])
		next[i] = next[next[i]];
	return i;
}

static int by_start(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/*
 * A symbol gets the heat in it that no smaller symbol has.  Returns whether there
 * was any.
 */
static bool take_heat(struct body *body, const struct symbol *symbol,
		      const struct heat *heat, size_t *next, size_t nr)
{
	size_t first = next_left(next, heat_first(heat, nr, symbol->start)), i;

	*body = (struct body){ symbol->name, symbol->start,
			       symbol->start + symbol->size, 0 };
	for (i = first; i < nr && heat[i].address - symbol->start < symbol->size;
	     i = next_left(next, i)) {
		body->samples += heat[i].samples;
		next[i] = i + 1;
	}
	return i > first;
}

struct body *bodies_of(Dwfl_Module *module, const struct heat *heat, size_t nr,
		       const char *name, size_t *nr_bodies)
{
	size_t *next = xcalloc(nr + 1, sizeof(*next)), used = 0, nr_symbols, i;
	struct body *list = NULL, body, rest = { .name = name };
	struct symbol *symbols = symbols_of(module, &nr_symbols);

	for (i = 0; i <= nr; i++)
		next[i] = i;
	/* Smallest first, because heat belongs to the innermost function. */
	for (i = 0; i < nr_symbols; i++) {
		if (!take_heat(&body, &symbols[i], heat, next, nr))
			continue;
		list = xgrow(list, used, sizeof(*list));
		list[used++] = body;
	}
	for (i = next_left(next, 0); i < nr; i = next_left(next, i + 1)) {
		if (!rest.end)
			rest.start = heat[i].address;
		rest.end = heat[i].address + 1;
		rest.samples += heat[i].samples;
	}
	if (rest.end) {
		list = xgrow(list, used, sizeof(*list));
		list[used++] = rest;
	}
	if (used)
		qsort(list, used, sizeof(*list), by_start);
	*nr_bodies = used;
	free(symbols);
	free(next);
	return list;
}

static void run_objdump(int fd, int to, const struct body *body)
{
	struct rlimit limit = { MAX_SECONDS, MAX_SECONDS };
	char *start = xasprintf("--start-address=%#llx",
				(unsigned long long)body->start);
	char *stop = xasprintf("--stop-address=%#llx",
			       (unsigned long long)body->end);

	/* The file that was looked at, though its name may be another's now. */
	char *path = xasprintf("/dev/fd/%d", fd);

	if (fcntl(fd, F_SETFD, 0) || dup2(to, STDOUT_FILENO) < 0)
		_exit(126);
	setrlimit(RLIMIT_CPU, &limit);
	setenv("LC_ALL", "C", 1);
	unsetenv("DEBUGINFOD_URLS");
	execlp("objdump", "objdump", "-d", "-C", "--no-show-raw-insn", start,
	       stop, path, NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

/* "  401136:\tmov ...": an instruction. */
static bool parse_line(char *line, struct instruction *instruction)
{
	char *end, *text;

	instruction->address = strtoull(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t')
		return false;
	text = end + 2;
	text[strcspn(text, "\n")] = '\0';
	for (end = text; *end; end++)
		if (*end == '\t')
			*end = ' ';
	instruction->text = xstrdup(text);
	return true;
}

static void read_code(FILE *in, struct code *code)
{
	struct instruction new;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, in) > 0) {
		new = (struct instruction){ 0 };
		if (!parse_line(line, &new))
			continue;
		code->list = xgrow(code->list, code->nr, sizeof(new));
		code->list[code->nr++] = new;
	}
	free(line);
}

static void add_lines(struct code *code, Dwfl_Module *module)
{
	GElf_Addr bias = 0;
	size_t i;

	dwfl_module_getelf(module, &bias);
	for (i = 0; i < code->nr; i++) {
		struct instruction *instruction = &code->list[i];
		Dwfl_Line *line = dwfl_module_getsrc(module,
						     instruction->address +
						     bias);

		if (line)
			instruction->file = dwfl_lineinfo(line, NULL,
							  &instruction->line,
							  NULL, NULL, NULL);
	}
}

static char *failure_text(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return xstrdup("objdump is not here: install binutils to see instructions");
	if (WIFSIGNALED(status))
		return xasprintf("objdump ended by signal %d, and printed no instructions",
				 WTERMSIG(status));
	return xstrdup("objdump printed no instructions");
}

struct code code_of(int fd, Dwfl_Module *module, const struct body *body,
		    const struct heat *heat, size_t nr, char **why)
{
	struct body part = *body;
	struct code code = { 0 };
	int ends[2], status = 0;
	uint64_t end;
	FILE *in;
	size_t i;
	pid_t pid;

	*why = NULL;
	if (part.end - part.start > MAX_CODE)
		part.end = part.start + MAX_CODE;
	fflush(NULL);
	if (pipe(ends))
		die(STATUS_USAGE, "can't start objdump: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		die(STATUS_USAGE, "can't start objdump: %s", strerror(errno));
	if (!pid) {
		close(ends[0]);
		run_objdump(fd, ends[1], &part);
	}
	close(ends[1]);
	in = fdopen(ends[0], "r");
	if (!in)
		die(STATUS_USAGE, "out of memory");
	read_code(in, &code);
	fclose(in);
	waitpid(pid, &status, 0);
	if (!code.nr)
		*why = failure_text(status);
	add_lines(&code, module);
	for (i = 0; i < code.nr; i++) {
		end = i + 1 < code.nr ? code.list[i + 1].address : part.end;
		code.list[i].samples = heat_at(heat, nr, code.list[i].address,
					       end);
	}
	return code;
}

void code_free(struct code *code)
{
	size_t i;

	for (i = 0; i < code->nr; i++)
		free(code->list[i].text);
	free(code->list);
}
