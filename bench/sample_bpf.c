// SPDX-License-Identifier: GPL-2.0-only
/*
 * A BPF histogram on perf_event's cpu-clock of each CPU, as bpftrace makes it
 * of profile:hz:250 /pid == PID/ { @[reg("ip") / STEP] = count() }: a hash with
 * a count for each CPU.  The program is written out in BPF's instructions.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampler.h"

#define CPUS_MAX	64

static int map, program, events[CPUS_MAX], nr_cpus, nr_possible;

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

#define INSN(c, d, s, o, i)						\
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s),	\
			    .off = (o), .imm = (i) })
#define MOV(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOVI(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADDI(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define SHRI(d, i)	INSN(BPF_ALU64 | BPF_RSH | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STOREI(d, o, i)	INSN(BPF_ST | BPF_MEM | BPF_DW, d, 0, o, i)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define JNEI(d, i, o)	INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, i)
#define JEQI(d, i, o)	INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define JA(o)		INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define EXIT()		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define LOAD_MAP(d, fd)	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_FD, \
			     0, fd)
#define MAP_END()	INSN(0, 0, 0, 0, 0)	/* its other half */

static void make_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_PERCPU_HASH,
		.key_size = 8,
		.value_size = 8,
		.max_entries = 4096,
	};

	map = bpf(BPF_MAP_CREATE, &attr);
	if (map < 0)
		die("BPF_MAP_CREATE");
}

static void load_program(void)
{
	const struct bpf_insn code[] = {
		MOV(6, 1),
		CALL(BPF_FUNC_get_current_pid_tgid),
		SHRI(0, 32),
		JNEI(0, getpid(), 22),
		LOAD(1, 6, offsetof(struct bpf_perf_event_data, regs.rip)),
		SHRI(1, __builtin_ctz(STEP)),
		STORE(10, -8, 1),
		LOAD_MAP(1, map), MAP_END(),
		MOV(2, 10), ADDI(2, -8),
		CALL(BPF_FUNC_map_lookup_elem),
		JEQI(0, 0, 4),
		LOAD(1, 0, 0), ADDI(1, 1), STORE(0, 0, 1),
		JA(9),
		STOREI(10, -16, 1),
		LOAD_MAP(1, map), MAP_END(),
		MOV(2, 10), ADDI(2, -8), MOV(3, 10), ADDI(3, -16),
		MOVI(4, BPF_ANY),
		CALL(BPF_FUNC_map_update_elem),
		MOVI(0, 0), EXIT(),
	};
	static char log[65536];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)code,
		.insn_cnt = ARRAY_SIZE(code),
		.license = (uintptr_t)"GPL",
		.log_level = 1,
		.log_size = sizeof(log),
		.log_buf = (uintptr_t)log,
	};

	program = bpf(BPF_PROG_LOAD, &attr);
	if (program < 0) {
		fputs(log, stderr);
		die("BPF_PROG_LOAD");
	}
}

static void bpf_start(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = HZ,
		.freq = 1,
	};
	int i;

	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	nr_possible = sysconf(_SC_NPROCESSORS_CONF);
	make_map();
	load_program();
	for (i = 0; i < nr_cpus; i++) {
		events[i] = syscall(SYS_perf_event_open, &attr, -1, i, -1,
				    PERF_FLAG_FD_CLOEXEC);
		if (events[i] < 0 ||
		    ioctl(events[i], PERF_EVENT_IOC_SET_BPF, program) ||
		    ioctl(events[i], PERF_EVENT_IOC_ENABLE, 0))
			die("perf_event_open");
	}
}

static void bpf_read(struct counts *counts)
{
	uint64_t values[CPUS_MAX * 4], key, next;
	union bpf_attr attr = { .map_fd = map };
	int i;

	memset(counts, 0, sizeof(*counts));
	attr.next_key = (uintptr_t)&next;
	while (!bpf(BPF_MAP_GET_NEXT_KEY, &attr)) {
		union bpf_attr get = {
			.map_fd = map,
			.key = (uintptr_t)&key,
			.value = (uintptr_t)values,
		};

		key = next;
		attr.key = (uintptr_t)&key;
		if (bpf(BPF_MAP_LOOKUP_ELEM, &get))
			die("BPF_MAP_LOOKUP_ELEM");
		for (i = 0; i < nr_possible; i++)
			counts_add(counts, key * STEP, values[i]);
	}
}

static void bpf_stop(void)
{
	int i;

	for (i = 0; i < nr_cpus; i++)
		close(events[i]);
	close(program);
	close(map);
}

const struct sampler sampler_bpf = {
	.name = "bpf",
	.start = bpf_start,
	.read = bpf_read,
	.stop = bpf_stop,
};
