// SPDX-License-Identifier: MIT
/*
 * A hash of the threads that were sampled or have ended.
 *
 * The kernel's records have their CPU time.  How long they waited for a CPU
 * stands in /proc alone, and only while they live.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "process.h"
#include "threads.h"
#include "util.h"

#define READ_SHARE	50		/* a 50th of the time */
#define READ_FREE_NS	50000000ll

/* What a thread had used when its process was joined. */
struct before {
	int32_t tid;
	struct thread_usage used;
};

static struct thread *slots;		/* number 0: free */
static size_t nr_slots, nr_used;
static struct told {
	uint64_t number;
	uint32_t image;
} *told;
static size_t nr_told;
static struct before *before;
static size_t nr_before;
static int64_t begin_ns, spent_ns;

static struct thread *slot_of(uint64_t number, uint32_t image)
{
	size_t i = (size_t)((number + image) * 0x9e3779b97f4a7c15ull >> 32);

	while (slots[i & (nr_slots - 1)].number &&
	       (slots[i & (nr_slots - 1)].number != number ||
		slots[i & (nr_slots - 1)].image != image))
		i++;
	return &slots[i & (nr_slots - 1)];
}

static void grow_list(void)
{
	struct thread *old = slots;
	size_t nr = nr_slots, i;

	nr_slots = nr ? 2 * nr : 256;
	slots = xcalloc(nr_slots, sizeof(*slots));
	for (i = 0; i < nr; i++)
		if (old[i].number)
			*slot_of(old[i].number, old[i].image) = old[i];
	free(old);
}

/*
 * A thread has its new name already while execve() is under way, and samples of
 * that time belong to the program before.  So that one gets its last name back.
 */
static void end_name_before(const struct profil_image *image,
			    const struct profil_thread *record)
{
	struct thread *thread;

	if (image->how != PROFIL_IMAGE_EXEC || !image->parent)
		return;
	thread = slot_of(record->number, image->parent);
	if (thread->number && *thread->earlier &&
	    !strncmp(thread->comm, record->comm, sizeof(thread->comm)))
		memcpy(thread->comm, thread->earlier, sizeof(thread->comm));
}

static void name_thread(struct thread *thread, const char comm[16])
{
	if (strncmp(thread->comm, comm, sizeof(thread->comm)) != 0)
		memcpy(thread->earlier, thread->comm, sizeof(thread->comm));
	memcpy(thread->comm, comm, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
}

static void begin_thread(struct thread *thread, const struct profil_thread *record)
{
	struct process *p = process_get(record->image);
	size_t i;

	end_name_before(&p->about, record);

	thread->number = record->number;
	thread->image = record->image;
	thread->tid = record->tid;
	p->thread = p->nr_threads++ ? 0 : record->number;
	for (i = 0; i < nr_before; i++) {
		if (before[i].tid != record->tid)
			continue;
		thread->begin = before[i].used;
		/* The first sample may be older than that. */
		if (thread->begin.cpu_ns > record->cpu_ns)
			thread->begin.cpu_ns = record->cpu_ns;
		before[i] = before[--nr_before];
		return;
	}
}

void threads_told(const struct profil_thread *record)
{
	struct thread *thread;

	if (!record->number || !record->image)
		return;
	if (2 * nr_used >= nr_slots)
		grow_list();
	thread = slot_of(record->number, record->image);
	if (!thread->number) {
		nr_used++;
		begin_thread(thread, record);
	}
	/* Records of two CPUs come in any order. */
	if (record->cpu_ns >= thread->now.cpu_ns) {
		thread->now.cpu_ns = record->cpu_ns;
		name_thread(thread, record->comm);
	}
	thread->ended |= record->flags & PROFIL_THREAD_F_ENDED;
	told = xgrow(told, nr_told, sizeof(*told));
	told[nr_told++] = (struct told){ record->number, record->image };
}

void threads_executed(uint64_t number, const struct profil_end *end)
{
	struct thread *thread = number ? slot_of(number, end->image) : NULL;

	if (!thread || !thread->number)
		return;
	thread->exec_ns = end->cpu_ns;
	thread->ended = true;
}

const struct thread *threads_find(uint64_t number, uint32_t image)
{
	struct thread *thread = number && nr_slots ? slot_of(number, image) :
						     NULL;

	if (!thread || !thread->number)
		return NULL;
	thread->sampled = true;
	return thread;
}

/* The first two numbers of schedstat; false: it has ended, or there is no such file. */
static bool read_usage(pid_t pid, int32_t tid, struct thread_usage *used)
{
	char path[64], text[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	if (!read_start(path, text, sizeof(text)) ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &used->cpu_ns,
		   &used->wait_ns) != 2)
		return false;
	used->read_ns = used->cpu_ns;
	return used->cpu_ns;
}

void threads_begin(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	struct before new;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		new.tid = atoi(entry->d_name);
		if (new.tid <= 0 || !read_usage(pid, new.tid, &new.used))
			continue;
		before = xgrow(before, nr_before, sizeof(*before));
		before[nr_before++] = new;
	}
	if (dir)
		closedir(dir);
}

static void read_thread(struct thread *thread)
{
	const struct process *p = process_find(thread->image);
	struct thread_usage used;

	/* A thread that has less than this one had is another. */
	if (!thread->ended && p && p->about.pid > 0 && thread->tid > 0 &&
	    read_usage(p->about.pid, thread->tid, &used) &&
	    used.cpu_ns >= thread->now.cpu_ns)
		thread->now = used;
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

void threads_read(void)
{
	int64_t now = now_ns(), from = cpu_ns();
	size_t i;

	if (!begin_ns)
		begin_ns = now;
	if (spent_ns < (now - begin_ns) / READ_SHARE + READ_FREE_NS)
		for (i = 0; i < nr_told; i++)
			read_thread(slot_of(told[i].number, told[i].image));
	nr_told = 0;
	spent_ns += cpu_ns() - from;
}

void threads_read_all(void)
{
	size_t i;

	for (i = 0; i < nr_slots; i++)
		if (slots[i].number)
			read_thread(&slots[i]);
}

void threads_forget(void)
{
	struct thread *old = slots;
	const struct process *p;
	size_t nr = nr_slots, i;

	if (!nr)
		return;
	nr_told = 0;
	nr_used = 0;
	slots = xcalloc(nr, sizeof(*slots));
	for (i = 0; i < nr; i++) {
		p = process_find(old[i].image);
		if (!old[i].number || old[i].ended || !p || p->ended)
			continue;
		*slot_of(old[i].number, old[i].image) = old[i];
		nr_used++;
	}
	free(old);
}

/* Images of one thread stand together, in the order of its execs. */
static int by_number(const void *one, const void *two)
{
	const struct thread *a = one, *b = two;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->image < b->image ? -1 : a->image > b->image;
}

static struct thread_usage used_since(const struct thread_usage *begin,
				      const struct thread_usage *now)
{
	struct thread_usage used = {
		.cpu_ns = now->cpu_ns > begin->cpu_ns ?
			  now->cpu_ns - begin->cpu_ns : 0,
	};

	if (now->read_ns > begin->cpu_ns && now->wait_ns >= begin->wait_ns) {
		used.wait_ns = now->wait_ns - begin->wait_ns;
		used.read_ns = now->read_ns - begin->cpu_ns;
	}
	return used;
}

void threads_sum(void (*tell)(void *arg, const struct thread *thread,
			      const struct thread_usage *used), void *arg)
{
	struct thread *list = xcalloc(nr_used + 1, sizeof(*list));
	struct thread_usage used;
	size_t nr = 0, i;

	for (i = 0; i < nr_slots; i++)
		if (slots[i].number)
			list[nr++] = slots[i];
	qsort(list, nr, sizeof(*list), by_number);
	for (i = 0; i < nr; i++) {
		if (i && list[i - 1].number == list[i].number) {
			list[i].begin = list[i - 1].now;
			if (!list[i].begin.read_ns)
				list[i].begin.wait_ns = list[i - 1].begin.wait_ns;
		}
		if (list[i].exec_ns)
			list[i].now.cpu_ns = list[i].begin.cpu_ns +
					     list[i].exec_ns;
		used = used_since(&list[i].begin, &list[i].now);
		tell(arg, &list[i], &used);
	}
	free(list);
}
