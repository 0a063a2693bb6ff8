// SPDX-License-Identifier: MIT
/*
 * Processes that are followed, and when to look at what they have mapped.
 *
 * A process may end or exec at any time, and its pid may be another's by then.
 * So maps count only if the executable that the kernel told of lies where the
 * kernel said.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "process.h"
#include "util.h"

#define BLOCK			256
#define EXES_MAX		256
#define OPEN_MAX_PROCESSES	256
#define PEERS_MAX		8
#define AGAIN_NS		10000000ll	/* the last library is there */
#define YOUNG_LOOKS		5		/* each gap twice the one before */
#define APART_NS		1000000000ll	/* looks for a new size */
#define MAPS_SHARE		20		/* a 20th of the time */
#define MAPS_FREE_NS		100000000ll
#define LOOK_NS			20000000u	/* a look takes no more, */
#define TEXT_NS			1000000u	/* with this for each text */
#define LINE_NS			5000u		/* and this for each line */

/* Executables, and processes of each that had maps. */
struct exe {
	uint64_t dev, ino;
	struct process *peers[PEERS_MAX];
	size_t nr;
};

static struct block {
	struct process *of[BLOCK];
	unsigned int nr;
} **blocks;				/* by (number - 1) / BLOCK */
static uint32_t nr_blocks, nr_processes;
static struct exe *exes;
static size_t nr_exes;
static unsigned int nr_open;
static int64_t begin_ns;
static int64_t spent_ns;		/* of CPU time */
uint64_t process_looks_left_out;

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

struct process *process_find(uint32_t number)
{
	struct block *block = number && number <= nr_processes ?
			      blocks[(number - 1) / BLOCK] : NULL;

	return block ? block->of[(number - 1) % BLOCK] : NULL;
}

struct process *process_next(const struct process *p)
{
	uint32_t number = p ? p->number + 1 : 1;

	while (number && number <= nr_processes && !process_find(number)) {
		/* A block without a process has been freed. */
		if (blocks[(number - 1) / BLOCK])
			number++;
		else
			number = (number - 1) / BLOCK * BLOCK + BLOCK + 1;
	}
	return process_find(number);
}

struct process *process_get(uint32_t number)
{
	uint32_t at = (number - 1) / BLOCK;
	struct process *p = process_find(number);

	if (p)
		return p;
	while (nr_blocks <= at) {
		blocks = xgrow(blocks, nr_blocks, sizeof(*blocks));
		blocks[nr_blocks++] = NULL;
	}
	if (!blocks[at])
		blocks[at] = xcalloc(1, sizeof(*blocks[at]));
	if (number > nr_processes)
		nr_processes = number;
	p = xcalloc(1, sizeof(*p));
	p->number = number;
	p->view = (struct view){ .root = -1, .mem = -1 };
	p->jit = JIT_NEW;
	blocks[at]->of[(number - 1) % BLOCK] = p;
	blocks[at]->nr++;
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

int process_open_memory(const struct process *p)
{
	char name[64];

	if (p->about.pid <= 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/%d/mem", p->about.pid);
	return open(name, O_RDONLY | O_CLOEXEC);
}

/* The open memory is that of one program, whatever its pid stands for later. */
static bool open_view(struct process *p)
{
	struct stat st;
	char name[64];

	if (p->view.mem >= 0)
		return true;
	p->view.pid = p->about.pid;
	p->view.mem = process_open_memory(p);
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

struct process *process_parent(const struct process *p)
{
	struct process *parent = process_find(p->about.parent);

	return p->about.how == PROFIL_IMAGE_FORK && parent &&
	       parent->has_maps && parent->about.entry == p->about.entry &&
	       parent->about.phdr == p->about.phdr &&
	       parent->about.base == p->about.base &&
	       parent->about.ino == p->about.ino ? parent : NULL;
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
	char name[64], text[64];

	snprintf(name, sizeof(name), "/proc/%d/statm", pid);
	return read_start(name, text, sizeof(text)) ?
	       strtoull(text, NULL, 10) : 0;
}

static bool may_spend(int64_t now)
{
	if (!begin_ns)
		begin_ns = now;
	return spent_ns < (now - begin_ns) / MAPS_SHARE + MAPS_FREE_NS;
}

/* A process that ended before it was looked at has the cgroup of its parent. */
const char *process_cgroup(const struct process *p)
{
	while (p && !p->has_maps)
		p = process_find(p->about.parent);
	return p ? p->cgroup : NULL;
}

static void add_peer(struct process *p)
{
	struct exe *exe = exe_of(p, true);

	if (exe->nr == PEERS_MAX)
		return;
	exe->peers[exe->nr++] = p;
	p->is_peer = true;
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
	/* Before the maps, which say that the pid is still of this program. */
	char *cgroup = p->has_maps ? NULL : cgroup_of(p->about.pid);
	bool good = open_view(p) && maps_read(&p->maps, &p->view, &check);

	if (good && !p->has_maps) {
		p->has_maps = true;
		p->cgroup = cgroup;
		cgroup = NULL;
		if (p->maps.whole)
			add_peer(p);
	}
	free(cgroup);
	if (good)
		p->may_have_jit = has_own_text(&p->maps);
	if (!good || nr_open > OPEN_MAX_PROCESSES)
		close_view(p);
	return good;
}

/* CPU time goes on while a virtual machine stands still, for half a second even. */
static int64_t cost_of(const struct process *p, int64_t took)
{
	size_t most = LOOK_NS + p->maps.nr * TEXT_NS + p->maps.nr_lines * LINE_NS;

	return took < (int64_t)most ? took : (int64_t)most;
}

bool process_look(struct process *p, bool must)
{
	int64_t now = now_ns(), begun_ns;
	uint64_t pages;
	bool good;

	if (p->ended || !p->told ||
	    (!must && now < p->looked_ns + APART_NS))
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
	p->looked_ns = now;
	p->pages = pages;
	begun_ns = cpu_ns();
	good = read_maps(p);
	spent_ns += cost_of(p, cpu_ns() - begun_ns);
	return good;
}

bool process_look_young(struct process *p)
{
	bool must = p->looks < 2 || pages_of(p->about.pid) != p->pages;

	p->look_ns = p->looks < YOUNG_LOOKS ?
		     now_ns() + (AGAIN_NS << p->looks) : 0;
	p->looks++;
	return must && process_look(p, true);
}

void process_end(struct process *p)
{
	process_read_jit(p);
	if (p->jit.fd >= 0)
		close(p->jit.fd);
	p->jit.fd = -1;
	close_view(p);
	p->ended = true;
}

/* Memory that is no program's any more is read as empty. */
static bool is_gone(const struct process *p)
{
	char byte;

	if (p->view.mem >= 0)
		return !pread(p->view.mem, &byte, 1, (off_t)p->about.phdr);
	return kill(p->about.pid, 0) && errno == ESRCH;
}

void processes_end_gone(void)
{
	struct process *p;

	for (p = process_next(NULL); p; p = process_next(p))
		if (p->told && !p->ended && p->about.pid > 0 && is_gone(p))
			process_end(p);
}

static void free_process(struct process *p)
{
	struct block *block = blocks[(p->number - 1) / BLOCK];

	block->of[(p->number - 1) % BLOCK] = NULL;
	if (!--block->nr) {
		blocks[(p->number - 1) / BLOCK] = NULL;
		free(block);
	}
	maps_free(&p->maps);
	jit_free(&p->jit);
	free(p->given);
	free(p->path);
	free(p->cgroup);
	free(p->pending);
	free(p);
}

static bool has_living(const struct exe *exe)
{
	size_t i;

	for (i = 0; i < exe->nr; i++)
		if (!exe->peers[i]->ended)
			return true;
	return false;
}

/* Of each executable the maps of some are kept for those to come. */
static void forget_exes(void)
{
	size_t kept = 0, i, k;

	if (nr_exes <= EXES_MAX)
		return;
	for (i = 0; i < nr_exes; i++) {
		if (has_living(&exes[i]))
			exes[kept++] = exes[i];
		else
			for (k = 0; k < exes[i].nr; k++)
				exes[i].peers[k]->is_peer = false;
	}
	nr_exes = kept;
}

void processes_forget(void)
{
	struct process *p, *next;

	forget_exes();
	for (p = process_next(NULL); p; p = next) {
		next = process_next(p);
		if (p->ended && !p->is_peer && !p->listed &&
		    !p->wants_tables && !p->nr_pending)
			free_process(p);
	}
}
