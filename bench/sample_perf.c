// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_event's task-clock, as perf record uses it.
 *
 * Each CPU has an event, which threads inherit, and a ring of 128 pages.  Another
 * process copies a ring to a file when it is half full.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sampler.h"

#define CPUS_MAX	64
#define RING		(128 * 4096)

/* As perf record; ip comes first. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t period;
};

static struct counts *shared;
static struct perf_event_mmap_page *rings[CPUS_MAX];
static struct pollfd events[CPUS_MAX + 1];
static int nr_cpus, file, ask[2], answer[2];
static pid_t reader;

static void take(const struct perf_event_header *header)
{
	const uint64_t *lost = (const uint64_t *)(header + 1);

	if (header->type == PERF_RECORD_SAMPLE)
		counts_add(shared, ((const struct sample *)header)->ip, 1);
	else if (header->type == PERF_RECORD_LOST)
		fprintf(stderr, "perf: %lu lost\n", lost[1]);
}

static void drain(struct perf_event_mmap_page *ring)
{
	static char records[RING];
	const char *data = (const char *)ring + 4096;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->data_tail, size = head - tail, i;
	uint64_t to_end = RING - tail % RING;

	if (!size)
		return;
	if (size <= to_end) {
		memcpy(records, data + tail % RING, size);
	} else {
		memcpy(records, data + tail % RING, to_end);
		memcpy(records + to_end, data, size - to_end);
	}
	__atomic_store_n(&ring->data_tail, head, __ATOMIC_RELEASE);
	if (write(file, records, size) < 0)
		die("write");
	for (i = 0; i < size;
	     i += ((struct perf_event_header *)(records + i))->size)
		take((struct perf_event_header *)(records + i));
}

static void open_events(pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = TICK,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.inherit = 1,
		.watermark = 1,
		.wakeup_watermark = RING / 2,
	};
	int i;

	for (i = 0; i < nr_cpus; i++) {
		events[i].fd = syscall(SYS_perf_event_open, &attr, pid, i, -1,
				       PERF_FLAG_FD_CLOEXEC);
		if (events[i].fd < 0)
			die("perf_event_open");
		events[i].events = POLLIN;
		rings[i] = mmap(NULL, RING + 4096, PROT_READ | PROT_WRITE,
				MAP_SHARED, events[i].fd, 0);
		if (rings[i] == MAP_FAILED)
			die("mmap");
	}
}

static void read_events(pid_t parent)
{
	char byte = 0;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_events(parent);
	events[nr_cpus].fd = ask[0];
	events[nr_cpus].events = POLLIN;
	while (write(answer[1], &byte, 1) == 1) {
		do {
			poll(events, nr_cpus + 1, -1);
			for (i = 0; i < nr_cpus; i++)
				drain(rings[i]);
		} while (!(events[nr_cpus].revents & POLLIN));
		if (read(ask[0], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void wait_for_reader(void)
{
	char byte;

	if (read(answer[0], &byte, 1) != 1)
		die("reader");
}

static void perf_start(void)
{
	pid_t parent = getpid();

	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	file = memfd_create("perf.data", 0);
	if (shared == MAP_FAILED || file < 0 || pipe(ask) || pipe(answer))
		die("perf");
	reader = fork();
	if (reader < 0)
		die("fork");
	if (!reader)
		read_events(parent);
	wait_for_reader();
}

static void perf_read(struct counts *counts)
{
	if (write(ask[1], "", 1) != 1)
		die("reader");
	wait_for_reader();
	*counts = *shared;
}

static void perf_stop(void)
{
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
}

const struct sampler sampler_perf = {
	.name = "perf-ring",
	.start = perf_start,
	.read = perf_read,
	.stop = perf_stop,
};
