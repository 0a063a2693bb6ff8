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

/* The smallest function symbol that has the address. */
static bool symbol_at(Dwfl_Module *module, uint64_t address, struct body *body)
{
	int nr = dwfl_module_getsymtab(module), i;
	bool found = false;
	const char *name;
	GElf_Addr value, bias = 0;
	GElf_Sym sym;

	dwfl_module_getelf(module, &bias);
	for (i = 1; i < nr; i++) {
		name = dwfl_module_getsym_info(module, i, &sym, &value, NULL,
					       NULL, NULL);
		if (!name || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		value -= bias;
		if (address < value || address - value >= sym.st_size ||
		    (found && sym.st_size >= body->end - body->start))
			continue;
		*body = (struct body){ name, value, value + sym.st_size, 0 };
		found = true;
	}
	return found;
}

static int by_start(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

struct body *bodies_of(Dwfl_Module *module, const struct heat *heat, size_t nr,
		       const char *name, size_t *nr_bodies)
{
	struct body *list = NULL, body, rest = { .name = name };
	size_t used = 0, i, j;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < used; j++)
			if (heat[i].address >= list[j].start &&
			    heat[i].address < list[j].end)
				break;
		if (j == used && !symbol_at(module, heat[i].address, &body)) {
			if (!rest.end || heat[i].address < rest.start)
				rest.start = heat[i].address;
			if (heat[i].address >= rest.end)
				rest.end = heat[i].address + 1;
			rest.samples += heat[i].samples;
			continue;
		}
		if (j == used) {
			list = xgrow(list, used, sizeof(*list));
			list[used++] = body;
		}
		list[j].samples += heat[i].samples;
	}
	if (rest.end) {
		list = xgrow(list, used, sizeof(*list));
		list[used++] = rest;
	}
	if (used)
		qsort(list, used, sizeof(*list), by_start);
	*nr_bodies = used;
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

static uint64_t heat_at(const struct heat *heat, size_t nr, uint64_t from,
			uint64_t to)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		if (heat[i].address >= from && heat[i].address < to)
			samples += heat[i].samples;
	return samples;
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
