// SPDX-License-Identifier: MIT
/*
 * Processes that are followed, and when to look at what they have mapped.
 *
 * A process may end or exec at any time, and its pid may be another's by then.
 * So maps count only if the executable that the kernel told of lies where the
 * kernel said.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "util.h"

#define OPEN_MAX_PROCESSES	256
#define PEERS_MAX		8
#define AGAIN_NS		10000000ll	/* the last library is there */
#define APART_NS		1000000000ll	/* looks for a new size */
#define MAPS_SHARE		20		/* a 20th of the time */
#define MAPS_FREE_NS		100000000ll

/* Executables, and processes of each that had maps. */
struct exe {
	uint64_t dev, ino;
	struct process *peers[PEERS_MAX];
	size_t nr;
};

static struct process **processes;	/* by number - 1 */
static uint32_t nr_processes;
static struct exe *exes;
static size_t nr_exes;
static unsigned int nr_open;
static int64_t begin_ns, spent_ns;
uint64_t process_looks_left_out;

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

struct process *process_find(uint32_t number)
{
	return number && number <= nr_processes ? processes[number - 1] : NULL;
}

uint32_t process_last(void)
{
	return nr_processes;
}

struct process *process_get(uint32_t number)
{
	struct process *p = process_find(number);

	if (p)
		return p;
	while (nr_processes < number) {
		processes = xgrow(processes, nr_processes, sizeof(*processes));
		processes[nr_processes++] = NULL;
	}
	p = xcalloc(1, sizeof(*p));
	p->number = number;
	p->view = (struct view){ .root = -1, .mem = -1 };
	processes[number - 1] = p;
	return p;
}

static void close_view(struct process *p)
{
	if (p->view.root >= 0)
		close(p->view.root);
	if (p->view.mem >= 0) {
		close(p->view.mem);
		nr_open--;
	}
	p->view.root = -1;
	p->view.mem = -1;
}

/* The open memory is that of one program, whatever its pid stands for later. */
static bool open_view(struct process *p)
{
	struct stat st;
	char name[64];

	if (p->view.mem >= 0)
		return true;
	if (p->about.pid <= 0)
		return false;
	p->view.pid = p->about.pid;
	snprintf(name, sizeof(name), "/proc/%d/mem", p->about.pid);
	p->view.mem = open(name, O_RDONLY | O_CLOEXEC);
	if (p->view.mem < 0)
		return false;
	nr_open++;
	if (!fstat(p->view.mem, &st))
		p->uid = st.st_uid;
	snprintf(name, sizeof(name), "/proc/%d/root", p->about.pid);
	p->view.root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return true;
}

static struct exe *exe_of(const struct process *p, bool make)
{
	size_t i;

	for (i = 0; i < nr_exes; i++)
		if (exes[i].dev == p->about.dev && exes[i].ino == p->about.ino)
			return &exes[i];
	if (!make)
		return NULL;
	exes = xgrow(exes, nr_exes, sizeof(*exes));
	exes[nr_exes] = (struct exe){ .dev = p->about.dev,
				      .ino = p->about.ino };
	return &exes[nr_exes++];
}

struct process *process_peer(const struct process *p, size_t i)
{
	const struct exe *exe = exe_of(p, false);

	return exe && i < exe->nr ? exe->peers[i] : NULL;
}

void process_told(struct process *p, const struct profil_image *image)
{
	p->about = *image;
	p->told = true;
	p->path = xasprintf("%.*s", PROFIL_PATH_SIZE - 1, image->path);
}

/* Pages of memory that the process has, or 0. */
static uint64_t pages_of(pid_t pid)
{
	char name[64], text[64] = "";
	ssize_t size;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/statm", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	return size > 0 ? strtoull(text, NULL, 10) : 0;
}

static bool may_spend(int64_t now)
{
	if (!begin_ns)
		begin_ns = now;
	return spent_ns < (now - begin_ns) / MAPS_SHARE + MAPS_FREE_NS;
}

static void add_peer(struct process *p)
{
	struct exe *exe = exe_of(p, true);

	if (exe->nr < PEERS_MAX)
		exe->peers[exe->nr++] = p;
}

static bool has_own_text(const struct maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr; i++)
		if (!maps->list[i].object || (maps->list[i].object->fd < 0 &&
					      !maps->list[i].object->memory))
			return true;
	return false;
}

static bool read_maps(struct process *p)
{
	const struct maps_check check = {
		.address = p->about.phdr, .dev = p->about.dev,
		.ino = p->about.ino, .path = p->path,
	};
	bool good = open_view(p) && maps_read(&p->maps, &p->view, &check);

	if (good && !p->has_maps) {
		p->has_maps = true;
		add_peer(p);
	}
	if (good)
		p->may_have_jit = has_own_text(&p->maps);
	if (!good || nr_open > OPEN_MAX_PROCESSES)
		close_view(p);
	return good;
}

bool process_look(struct process *p, bool must)
{
	int64_t now = now_ns();
	uint64_t pages;
	bool good;

	if (p->ended || !p->told)
		return false;
	if (!must && now < p->looked_ns + APART_NS)
		return false;
	pages = pages_of(p->about.pid);
	if (!must) {
		p->looked_ns = now;
		if (pages == p->pages)
			return false;
	}
	if (!may_spend(now)) {
		process_looks_left_out++;
		return false;
	}
	p->look_ns = p->looked_ns ? 0 : now + AGAIN_NS;
	p->looked_ns = now;
	p->pages = pages;
	good = read_maps(p);
	spent_ns += now_ns() - now;
	return good;
}

void process_read_jit(struct process *p)
{
	if (p->has_maps && p->may_have_jit)
		jit_read(&p->jit, p->view.root, p->about.inner_pid, p->uid);
}

void process_end(struct process *p)
{
	process_read_jit(p);
	close_view(p);
	p->ended = true;
}

static int by_pc(const void *one, const void *two)
{
	const struct pending *a = one, *b = two;

	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* One entry for each pc, so that a process without maps stays small. */
static void unite(struct process *p)
{
	struct pending *list = p->pending;
	size_t nr = 0, i;

	qsort(list, p->nr_pending, sizeof(*list), by_pc);
	for (i = 0; i < p->nr_pending; i++) {
		if (nr && !by_pc(&list[nr - 1], &list[i]))
			list[nr - 1].count += list[i].count;
		else
			list[nr++] = list[i];
	}
	p->nr_pending = nr;
}

void process_add(struct process *p, uint64_t thread, uint64_t pc,
		 uint64_t count)
{
	if (p->nr_pending >= p->unite_at) {
		unite(p);
		p->unite_at = p->nr_pending < 512 ? 1024 : 2 * p->nr_pending;
	}
	p->pending = xgrow(p->pending, p->nr_pending, sizeof(*p->pending));
	p->pending[p->nr_pending++] = (struct pending){
		.pc = pc, .thread = thread, .count = count,
	};
}
