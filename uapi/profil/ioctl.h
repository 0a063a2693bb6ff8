/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * /dev/profil counts user pcs.  The kernel's scheduler tick counts those of every
 * thread of the calling process, in bins in that process's own memory.
 *
 *	PROFIL_IOC_INFO		what this kernel can do
 *	PROFIL_IOC_SET		start, or atomically replace, a profile
 *	PROFIL_IOC_STOP		end the profile and get its final books
 *	PROFIL_IOC_QUERY	get state, rate and books of the profile
 *
 * These act on the process that makes the call, even if another process opened the
 * descriptor.  Closing it changes nothing for them.
 *
 * A descriptor can be an observer as well: it counts the pcs and call paths of the
 * processes that it follows, at a rate, in tables that the tool maps, until it is
 * closed.
 *
 *	PROFIL_IOC_OBSERVE	make the descriptor an observer
 *	PROFIL_IOC_JOIN		follow a process: the caller, or one by its memory
 *	PROFIL_IOC_SWAP		read one half of the tables while the other counts
 *	PROFIL_IOC_UNWIND	give the kernel what it walks stacks by
 *
 * Every struct that a call is given begins with its own size, which the caller
 * sets to sizeof() of the struct it was compiled with.  The size of an array's
 * elements is region_size.  A struct shorter than the first published one is
 * EINVAL.  A longer one than the kernel knows is taken if the bytes that the
 * kernel does not know are zero, up to a page; else it is E2BIG.  Output past
 * the caller's size is not written; output that this kernel does not know is
 * written as zero.  Reserved fields must be zero, else EINVAL.  Layouts are the
 * same for 32-bit and 64-bit callers; addresses are always 64 bits wide.  Zero a
 * struct as a whole before filling it in, because an older kernel refuses bytes
 * that it does not know and that are not zero.
 *
 * errno of every call:
 *	ENOTTY		not an ioctl of this device
 *	EINVAL		a size too small, an unknown flag, a reserved field set
 *	E2BIG		a longer struct that uses what this kernel does not know,
 *			or a size or region_size above that of a page
 *	EFAULT		the argument, or what it points to, is not accessible
 *	ENOMEM		no memory
 *	EOPNOTSUPP	known to the ABI, not to this kernel (see features)
 * An ioctl that fails has changed nothing.
 */
#ifndef _PROFIL_IOCTL_H
#define _PROFIL_IOCTL_H

#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/types.h>

#define PROFIL_DEVICE		"/dev/profil"
#define PROFIL_ABI_VERSION	1

/*
 * PROFIL_IOC_INFO
 *
 * Out: everything but size.  hz is the rate in ticks a second at which this
 * kernel's scheduler tick runs: one tick of a running thread is one sample.
 */
#define PROFIL_FEAT_WIDTH_2	_BITULL(0)	/* 16-bit counters */
#define PROFIL_FEAT_WIDTH_4	_BITULL(1)	/* 32-bit counters */
#define PROFIL_FEAT_WIDTH_8	_BITULL(2)	/* 64-bit counters */
#define PROFIL_FEAT_REGIONS	_BITULL(3)	/* more than one region */
#define PROFIL_FEAT_OVERFLOW	_BITULL(4)	/* PROFIL_REGION_F_OVERFLOW */
#define PROFIL_FEAT_THREAD	_BITULL(5)	/* PROFIL_F_THREAD */
#define PROFIL_FEAT_USER_ONLY	_BITULL(6)	/* PROFIL_F_USER_ONLY */
#define PROFIL_FEAT_NOHZ_FULL	_BITULL(7)	/* lone threads tick too */
#define PROFIL_FEAT_RATE	_BITULL(8)	/* profil_set.rate_hz */
#define PROFIL_FEAT_TARGET	_BITULL(9)	/* another process */
#define PROFIL_FEAT_DUMP	_BITULL(10)	/* profil_set.dump */
#define PROFIL_FEAT_OBSERVE	_BITULL(11)	/* PROFIL_IOC_OBSERVE */
#define PROFIL_FEAT_JOIN_OTHER	_BITULL(12)	/* PROFIL_IOC_JOIN with a pid */
#define PROFIL_FEAT_PATHS	_BITULL(13)	/* profil_observe.depth */

struct profil_info {
	__u32 size;		/* sizeof(struct profil_info) */
	__u32 abi_version;	/* PROFIL_ABI_VERSION of the kernel side */
	__aligned_u64 features;	/* PROFIL_FEAT_* */
	__u32 hz;		/* ticks a second */
	__u32 max_regions;	/* regions a profile can have */
	__u32 max_rate_hz;	/* samples a second that the caller may ask for */
	__u32 max_nodes;	/* nodes in one CPU's half of a table */
	__u32 max_depth;	/* 1: a pc is all that is known of a sample */
	__u32 reserved;
};

/*
 * A region: a range of text and the buffer of counters that it is counted in.
 *
 * With d = pc - offset, the sample's byte in the buffer is d * scale / 65536,
 * computed without overflow and rounded down to a counter.  So scale is
 * buffer bytes per 65536 text bytes at every width: 0x10000 is a byte of
 * buffer for a byte of text.  The counter is hit if all of it lies inside the
 * buffer; a tail shorter than a counter is ignored.  A pc below offset is
 * outside.  A full counter stays full.  Of two regions that both take a pc,
 * the one with the larger offset gets it; on a tie the first in the array.
 *
 * PROFIL_REGION_F_OVERFLOW: the region counts, in its first counter, every pc
 * at or above offset that no other region took.  Its scale must be 2, and a
 * profile may have one of them.
 */
#define PROFIL_REGION_F_OVERFLOW	_BITUL(0)

#define PROFIL_SCALE_MAX	0x20000	/* two buffer bytes a text byte */

struct profil_region {
	__aligned_u64 base;	/* buffer address, a multiple of width */
	__aligned_u64 size;	/* buffer size in bytes, at least width */
	__aligned_u64 offset;	/* lowest pc */
	__u32 scale;		/* 1 to PROFIL_SCALE_MAX */
	__u32 width;		/* bytes a counter: 2, 4 or 8 */
	__u32 flags;		/* PROFIL_REGION_F_* */
	__u32 reserved;		/* 0 */
};

/*
 * A range of the caller's private memory that the kernel writes to the file
 * gmon.<comm>.<pid>.out when the process ends, however it ends.  (OpenBSD,
 * profil(2).)  Valid with PROFIL_FEAT_DUMP; not with PROFIL_F_THREAD.
 *
 * At that time *len, a __u32 in the process's memory, says how many bytes
 * follow the first head bytes: head + *len bytes from addr are written.  If
 * *len is 0, or head + *len is above size, there is no file.  So a program says
 * with a store to *len that its data is complete, and may take that back.  (In
 * OpenBSD's struct gmonhdr that is totarc, and head is all before the arcs.)
 *
 * The first successful call decides, for the process and all that it forks, the
 * directory, addr, size, and the pid namespace of the pid in the file's name.
 * It also decides the credentials with which the file is written, and so its
 * owner.  While that call is under way, others with a dump wait.  A later one
 * may change head and len.  PROFIL_IOC_STOP leaves the dump on.  A forked child
 * has a file of its own; exec ends the dump and writes nothing; in a vforked
 * child it never was on.
 *
 * The file is complete when the parent's wait() returns, because the exit waits
 * as long as the file system does.  The exception is a child that ended before
 * the kernel could provide for its file: its exit does not wait.  A user has 32
 * such files at a time, and one more is written only if there is room within a
 * second.
 *
 * The file is new, mode 0600.  An old one of that name is replaced if it is a
 * regular file with one link, the same owner's, and closed to others; else it
 * stays.  No file, and no part of one, is left in these cases:
 *
 *	- it can't be written
 *	- RLIMIT_FSIZE of the process is smaller
 *	- a part of the range is no longer readable private memory
 *	- another process provides a part of it (userfaultfd, FUSE)
 *
 * There is one exception, with Landlock: credentials that may create a file and
 * not remove it leave an empty one.  If they may not truncate it either, the part
 * that was written stays.
 *
 * The profiling note of a program is an ELF note in a PT_NOTE segment with the
 * name PROFIL_NOTE_NAME and the type PROFIL_NOTE_TYPE; its contents don't
 * matter.  The kernel does not look at it: OpenBSD's profil() in the library
 * does.
 *
 *	EOPNOTSUPP	a part of the range, or *len, is not private memory; or
 *			the administrator allows no dumps (PROFIL_FEAT_DUMP)
 *	EINVAL		size is 0 or above PROFIL_DUMP_SIZE_MAX, head is
 *			above size, or len is not aligned to 4
 *	EALREADY	a dump with another addr or size is on
 *	EBADF		dirfd is not an open descriptor, and not -1
 *	ENOTDIR		dirfd is not a directory
 *	ENFILE		too many open files in the system
 */
#define PROFIL_NOTE_NAME	"profil"
#define PROFIL_NOTE_TYPE	1

#define PROFIL_DUMP_SIZE_MAX	(1U << 28)

struct profil_dump {
	__u32 self_size;	/* sizeof(struct profil_dump) */
	__s32 dirfd;		/* where the file goes; -1 is the directory now */
	__aligned_u64 addr;
	__aligned_u64 size;	/* bytes */
	__aligned_u64 len;	/* address of a __u32 */
	__aligned_u64 head;	/* bytes before those that *len counts */
};

/*
 * PROFIL_IOC_SET
 *
 * Starts a profile of nr_regions regions, or replaces the one that is on.  No
 * tick sees half of either, and no tick is lost in between.  The books begin at
 * zero.  The buffers are pinned, and counted against RLIMIT_MEMLOCK unless the
 * caller has CAP_IPC_LOCK.  The profile goes on in forked children, each in its
 * own copy of the buffers, and ends with exec, exit and PROFIL_IOC_STOP.
 *
 * With rate_hz, 1 to max_rate_hz, the tick leaves the profile alone.  A timer
 * samples its threads at exponentially distributed gaps of CPU time, so that
 * every nanosecond is equally likely to be seen.  rate_hz is the mean number of
 * samples a second of CPU time.  Samples that were due while the machine stood
 * still, or above the share of a CPU that a rate may take, are seen and lost.
 *
 * PROFIL_F_THREAD: the profile is the calling thread's alone, takes the place
 * of the process's for that thread, and ends with the thread.
 * PROFIL_F_USER_ONLY: samples that find the thread in the kernel are left out.
 * Without it they count at the user pc at which the thread entered.
 *
 *	EINVAL		no regions; a width, scale or alignment not allowed; a
 *			buffer smaller than one counter; a second overflow region
 *	E2BIG		more than max_regions regions
 *	EFAULT		a buffer is not, whole, writable memory of the caller
 *	EPERM		rate_hz is above max_rate_hz
 *	EOPNOTSUPP	rate_jitter, target, or rate_hz or dump whose feature is
 *			missing; rate_hz above the tick's on a machine without
 *			high-resolution timers; or a buffer lies in a shared
 *			mapping of a file that is not tmpfs, memfd or hugetlbfs,
 *			or in device memory
 *	ENOMEM		no memory, RLIMIT_MEMLOCK would be passed, or a page is pinned
 *			a million times
 *	EBUSY		the administrator has switched tracing off
 *			(sysctl kernel.ftrace_enabled=0)
 *	ENODEV		the kernel has given up tracing, after an error of its own
 *	EINTR		a fatal signal came; no other one interrupts
 * and, with a dump, those of struct profil_dump: EINVAL and EOPNOTSUPP after
 * the EINVAL of flags and reserved fields and of a dump with PROFIL_F_THREAD,
 * but before any of the regions; EALREADY, EBADF and ENOTDIR after those.
 */
#define PROFIL_F_THREAD		_BITUL(0)
#define PROFIL_F_USER_ONLY	_BITUL(1)

#define PROFIL_TARGET_SELF	0
#define PROFIL_TARGET_PIDFD	1

struct profil_set {
	__u32 size;		/* sizeof(struct profil_set) */
	__u32 flags;		/* PROFIL_F_* */
	__aligned_u64 regions;	/* address of struct profil_region[] */
	__u32 nr_regions;
	__u32 region_size;	/* sizeof(struct profil_region) */
	__u32 rate_hz;		/* 0: the tick */
	__u32 rate_jitter;	/* 0 */
	__u32 target_type;	/* PROFIL_TARGET_SELF */
	__s32 target;		/* 0 */
	__aligned_u64 dump;	/* 0, or address of struct profil_dump */
	__aligned_u64 reserved;	/* 0 */
};

/*
 * The books of a profile, in samples since PROFIL_IOC_SET or, in a child,
 * since fork.  At every instant at which no thread of the process runs,
 *
 *	seen = binned + outside + lost + pending
 *
 * and the sum of the counters has grown by binned - saturated.  pending is 0
 * unless a buffer was remapped and the kernel has not looked at it since.
 * PROFIL_IOC_QUERY and PROFIL_IOC_STOP look, and count the pending samples,
 * before they report.
 *
 * cpu_ns is that of the process, or the thread, in which the profile was set or
 * which was forked with it, even if another process with the same memory asks.
 * It is 0 if that process has ended or has called exec.
 */
struct profil_books {
	__aligned_u64 seen;	 /* ticks, or samples of a rate, that found a
				  * thread of the process
				  */
	__aligned_u64 binned;	 /* belonged to a counter */
	__aligned_u64 outside;	 /* belonged to no region that is on */
	__aligned_u64 lost;	 /* no memory to keep them, or too many; of a
				  * rate also those that could not be taken
				  */
	__aligned_u64 saturated; /* of binned: the counter was full */
	__aligned_u64 pending;	 /* wait for their buffer to be looked at */
	__aligned_u64 excluded;	 /* left out by USER_ONLY; not in seen */
	__aligned_u64 cpu_ns;	 /* CPU time since; 0 if there is no profile */
};

enum profil_state {
	PROFIL_STATE_OFF = 0,	/* no profile, or all its regions are off */
	PROFIL_STATE_ON = 1
};

enum profil_reason {
	PROFIL_REASON_NONE = 0,		/* never set, or stopped */
	PROFIL_REASON_UNMAPPED = 1,	/* the buffer was unmapped */
	PROFIL_REASON_READONLY = 2,	/* the buffer is no longer writable */
	PROFIL_REASON_UNSUPPORTED = 3,	/* now memory that can't be pinned */
	PROFIL_REASON_NOMEM = 4,	/* no memory to pin it again */
	PROFIL_REASON_MEMLOCK = 5,	/* RLIMIT_MEMLOCK of a forked child */
	PROFIL_REASON_FAULT = 6		/* a store there would fault */
};

struct profil_region_status {
	__u32 state;		/* PROFIL_STATE_* */
	__u32 reason;		/* PROFIL_REASON_* if off */
	__aligned_u64 binned;	/* samples that belonged to a counter */
	__aligned_u64 saturated;/* of these: the counter was full */
};

/*
 * PROFIL_IOC_QUERY, PROFIL_IOC_STOP
 *
 * In: size, flags (PROFIL_F_THREAD or 0: which profile), target_type and
 * target (as in struct profil_set), regions and nr_regions (room for so many
 * struct profil_region_status, in the order of PROFIL_IOC_SET; may be 0),
 * region_size, reserved.
 * Out: state, reason, hz, books; nr_regions is what the profile has, and the
 * first of them that there was room for are filled in.
 *
 * STOP reports what QUERY would, after the last sample; from then on nothing
 * is counted and nothing is pinned.  Where no profile is on, both succeed with
 * PROFIL_STATE_OFF, no regions and empty books: stopping twice is no error.
 * The state in a STOP that ended a profile is that before it ended.
 */
struct profil_status {
	__u32 size;		/* sizeof(struct profil_status) */
	__u32 flags;		/* PROFIL_F_THREAD, or 0 */
	__u32 target_type;	/* PROFIL_TARGET_SELF */
	__s32 target;		/* 0 */
	__aligned_u64 regions;	/* address of struct profil_region_status[] */
	__u32 nr_regions;
	__u32 region_size;	/* sizeof(struct profil_region_status) */
	__u32 state;		/* PROFIL_STATE_* */
	__u32 reason;		/* PROFIL_REASON_* of the last region, if off */
	__u32 hz;		/* rate_hz of the profile, or ticks a second */
	__u32 reserved;		/* 0 */
	struct profil_books books;
};

/*
 * Observers: PROFIL_IOC_OBSERVE, PROFIL_IOC_JOIN, PROFIL_IOC_SWAP
 *
 * PROFIL_IOC_OBSERVE makes an observer of a descriptor, once.  The observer
 * follows each process that PROFIL_IOC_JOIN gives it, with its children, over
 * exec.  It samples their threads at exponentially distributed gaps of CPU time,
 * so that every nanosecond is equally likely to be seen.  Closing the descriptor
 * ends the observer.
 *
 * The table of counts is mapped: mmap(fd, map_size, PROT_READ, MAP_SHARED).
 * It begins with struct profil_map.  Each CPU that the machine may have has two
 * halves; one is written while the other is quiet.  PROFIL_IOC_SWAP clears the
 * quiet half, has it written from then on, and says which one is quiet now.
 * Only a quiet half may be read.  A half with 2 * rate_hz * interval nodes
 * between two swaps has room for every sample.
 *
 * poll() reports POLLIN when an image is born, a half is half full or the last
 * followed process has ended, until the next PROFIL_IOC_SWAP.
 *
 * PROFIL_OBSERVE_F_THREADS: a node for the thread stands between that of the
 * image and that of the pc; its pc is the thread's number.
 * PROFIL_OBSERVE_F_USER_ONLY: threads that are in the kernel are not sampled.
 *
 *	EINVAL		no rate, no nodes or no images, or more than allowed
 *	EPERM		rate_hz is above max_rate_hz
 *	EBUSY		the descriptor is an observer already
 *	ENOMEM		no memory, or RLIMIT_MEMLOCK would be passed: some
 *			512 KiB a CPU and 1 MiB are free, the rest counts
 *	EOPNOTSUPP	depth is above max_depth, or rate_hz above the tick's on a
 *			machine without high-resolution timers
 */
#define PROFIL_OBSERVE_F_THREADS	_BITUL(0)
#define PROFIL_OBSERVE_F_USER_ONLY	_BITUL(1)

#define PROFIL_OBSERVERS_MAX	4	/* observers of one process */

struct profil_observe {
	__u32 size;		/* sizeof(struct profil_observe) */
	__u32 flags;		/* PROFIL_OBSERVE_F_* */
	__u32 rate_hz;		/* samples a second of CPU time */
	__u32 nodes;		/* of one CPU's half; rounded up to 2^n */
	__u32 images;		/* image records of one CPU's half */
	__u32 depth;		/* frames of a call path; 0 or 1: the pc alone */
	__aligned_u64 map_size;	/* 0; out: bytes to map */
};

/*
 * PROFIL_IOC_JOIN: gives a process to the observer.
 *
 * With pid 0 it is the caller itself.  Else fd is an open /proc/PID/mem of
 * that process: it is open to those that may ptrace it.  pid may be of any of
 * its threads.  PROFIL_JOIN_F_NO_FORK: what it forks is not followed.
 *
 * A set-user-ID exec ends the following.  While a process is not dumpable its
 * samples are refused, unless the observer's opener has CAP_SYS_PTRACE over it.
 *
 *	EBADF		fd is not open
 *	EINVAL		the descriptor is no observer; fd is no /proc/PID/mem
 *	EPERM		fd was opened with other credentials than the caller's
 *	ESRCH		there is no such process, or fd is not its
 *	EALREADY	the observer follows the process already
 *	EBUSY		PROFIL_OBSERVERS_MAX observers follow it already
 *	EAGAIN		the user follows too many processes
 *	ENOMEM		no memory for what is kept of a process; the observer's
 *			cgroup pays for it
 *	EOPNOTSUPP	another process, without PROFIL_FEAT_JOIN_OTHER
 */
#define PROFIL_JOIN_F_NO_FORK	_BITUL(0)

struct profil_join {
	__u32 size;		/* sizeof(struct profil_join) */
	__u32 flags;		/* PROFIL_JOIN_F_* */
	__s32 pid;		/* 0: the caller */
	__s32 fd;		/* of /proc/PID/mem; 0 with pid 0 */
};

struct profil_swap {
	__u32 size;		/* sizeof(struct profil_swap) */
	__u32 quiet;		/* out: the half that may be read, 0 or 1 */
};

/*
 * A sample is a node.  from is PROFIL_NODE_IMAGE and the number of an image, or
 * the index of another node of the same half.  Bit 63 of a pc is set for a
 * thread in the kernel, which is where it entered.  count begins again at 0 after
 * 2^32 samples without a SWAP: 12 hours at the highest rate.
 */
#define PROFIL_NODE_IMAGE	0x80000000U
#define PROFIL_NODE_KERNEL	_BITULL(63)

struct profil_node {
	__aligned_u64 pc;
	__u32 from;
	__u32 count;
};

/*
 * Call paths, with a depth above 1.  A path's first node, below that of the image
 * or of the thread, has as pc how the path ended: PROFIL_PATH_*.  Below it are
 * the return addresses, the outermost first, and last the sampled pc, which has
 * the count.  A path that is longer than depth lacks its outermost frames.  The
 * samples of an image that has no maps (PROFIL_UNWIND_MAPS) are pcs alone,
 * directly below the image or the thread.
 *
 * A half with paths has at least 8,192 nodes.  The last 2 * rate_hz of them, at
 * most half of all, are kept for the pcs of paths that have no room.
 */
#define PROFIL_PATH_WHOLE	1	/* up to where the program began */
#define PROFIL_PATH_CUT		2	/* at depth */
#define PROFIL_PATH_UNREADABLE	3	/* a word of the stack */
#define PROFIL_PATH_WILD	4	/* a stack pointer that goes down, or out */
#define PROFIL_PATH_UNMAPPED	5	/* a pc that no map has */
#define PROFIL_PATH_NO_RULE	6	/* a pc that the table lacks */
#define PROFIL_PATH_NO_TABLE	7	/* a pc in an object without a table */
#define PROFIL_PATH_NOT_64	8	/* a 32-bit thread, or no user thread */
#define PROFIL_PATH_NO_ROOM	9	/* the half has no room for the path */

/*
 * PROFIL_IOC_UNWIND: gives an observer the tables that call paths are found by.
 *
 * PROFIL_UNWIND_OBJECT	bytes at addr are a struct profil_unwind_table and what
 *			follows it, for one object's text.  It is copied and
 *			checked.  Out: id, its number, from 1.
 * PROFIL_UNWIND_MAPS	bytes at addr are an array of struct profil_unwind_map,
 *			sorted, at most PROFIL_UNWIND_MAPS_MAX.  They replace
 *			those of image as a whole.  fd is an open /proc/PID/mem of
 *			its process, as in PROFIL_IOC_JOIN; no bytes: the maps
 *			are taken away.  A forked child begins with its
 *			parent's maps, a new program without.
 * PROFIL_UNWIND_DROP	the object id is not used in maps to come.  Its memory is
 *			freed with the last maps that have it.
 *
 *	EINVAL		the descriptor is no observer, or its depth is 1; a table
 *			or maps that are not as said here
 *	ENOENT		no object has this id
 *	ESRCH		image has ended, or fd is not of its process
 *	EBADF, EPERM	as PROFIL_IOC_JOIN
 *	E2BIG		more than PROFIL_UNWIND_MAPS_MAX maps, or a table of more
 *			than PROFIL_UNWIND_BYTES_MAX
 *	ENOMEM		no memory, or RLIMIT_MEMLOCK would be passed: tables count
 *			with the observer's map_size
 */
#define PROFIL_UNWIND_OBJECT	1
#define PROFIL_UNWIND_MAPS	2
#define PROFIL_UNWIND_DROP	3

#define PROFIL_UNWIND_MAPS_MAX	4096
#define PROFIL_UNWIND_BYTES_MAX	(64U << 20)

struct profil_unwind {
	__u32 size;		/* sizeof(struct profil_unwind) */
	__u32 op;		/* PROFIL_UNWIND_* */
	__u32 id;		/* OBJECT: out; DROP: in */
	__u32 flags;		/* 0 */
	__aligned_u64 addr;
	__aligned_u64 bytes;
	__u32 image;		/* MAPS: its number */
	__s32 fd;		/* MAPS: /proc/PID/mem */
};

/*
 * The table of one object's text, in chunks of 256 bytes.  Behind this struct
 * stand, without gaps,
 *
 *	__u32 index[chunks + 1];	first row of each chunk; the last is rows
 *	struct profil_unwind_rule rule[rules];
 *	__u16 row_rule[rows];		index in rule[]
 *	__u8  row_low[rows];		low byte of the text offset it begins at
 *
 * A row holds from its offset to that of the next row, over the ends of chunks.
 * The rows of a chunk have ascending low bytes.  Offsets before the first row
 * have no rule.
 */
struct profil_unwind_table {
	__u32 chunks;
	__u32 rows;
	__u32 rules;		/* at most 65536 */
	__u32 machine;		/* EM_X86_64 or EM_AARCH64 */
};

/*
 * How a frame's caller is found.  CFA is the caller's sp:
 *
 *	SP		sp + cfa
 *	BP		bp + cfa		(aarch64: bp is x29)
 *	AT_SP		*(sp + cfa) + k
 *	AT_BP		*(bp + cfa) + k
 *	PLT		sp + 8, and 8 more where pc % 16 is at least cfa
 *	SIGNAL		all registers stand in the signal frame at sp
 *	END		there is no caller
 *	NONE		not known
 *
 * k is a signed byte in units of 8 bytes, in bits 8 to 15 of kind.  The
 * caller's bp is the word at CFA + bp, or bp itself where the field is 0.  With
 * PROFIL_RULE_BP_AT_BP (x86-64) it is the word at bp + the field: a function that
 * aligns its stack saves it apart from the CFA.  The return address is the word
 * at CFA - 8 (x86-64); on aarch64 it is the word behind that of bp, or with
 * PROFIL_RULE_LR the register x30, which only the innermost frame and one that a
 * signal interrupted still have.
 */
#define PROFIL_RULE_NONE	0
#define PROFIL_RULE_SP		1
#define PROFIL_RULE_BP		2
#define PROFIL_RULE_AT_SP	3
#define PROFIL_RULE_AT_BP	4
#define PROFIL_RULE_PLT		5
#define PROFIL_RULE_SIGNAL	6
#define PROFIL_RULE_END		7
#define PROFIL_RULE_KIND	0x000f
#define PROFIL_RULE_BP_AT_BP	0x0040
#define PROFIL_RULE_LR		0x0080
#define PROFIL_RULE_K_SHIFT	8

struct profil_unwind_rule {
	__s32 cfa;		/* bytes */
	__s16 bp;		/* bytes, or 0 */
	__u16 kind;		/* PROFIL_RULE_* */
};

/* A mapping of text.  Its first byte has this offset in the object's table. */
#define PROFIL_UNWIND_FRAME_POINTERS	0xffffffffU	/* an object: CFA is bp + 16 */

struct profil_unwind_map {
	__aligned_u64 start;
	__u32 length;		/* bytes */
	__u32 object;		/* its id; 0: it has no table */
	__u32 offset;
	__u32 reserved;		/* 0 */
};

/* An image: one program in one process, told of when it is first sampled. */
enum profil_image_how {
	PROFIL_IMAGE_JOIN = 1,
	PROFIL_IMAGE_FORK = 2,
	PROFIL_IMAGE_EXEC = 3
};

#define PROFIL_IMAGE_F_PATH_CUT	_BITUL(0)	/* path is the end of it */
#define PROFIL_IMAGE_F_NO_MEMORY _BITUL(1)	/* for the path, or also for dev,
						 * ino and addresses: they are 0
						 */
#define PROFIL_PATH_SIZE	512

struct profil_image {
	__u32 number;		/* from 1; never used again */
	__u32 how;		/* PROFIL_IMAGE_* */
	__u32 parent;		/* image that it came from, or 0 */
	__u32 flags;		/* PROFIL_IMAGE_F_* */
	__s32 pid;		/* of the process, for the observer's opener */
	__s32 ppid;		/* of its parent; 0 if it is outside */
	__s32 inner_pid;	/* in the process's own pid namespace */
	__u32 dev;		/* of the executable: major << 20 | minor */
	__aligned_u64 ino;
	__aligned_u64 since_ns;	/* CLOCK_MONOTONIC at JOIN, fork or exec */
	__aligned_u64 start_code;
	__aligned_u64 phdr;	/* AT_PHDR */
	__aligned_u64 entry;	/* AT_ENTRY */
	__aligned_u64 base;	/* AT_BASE */
	char comm[16];
	__aligned_u64 reserved[4];
	/*
	 * The executable's: as the process has it at exec, or as the caller of
	 * JOIN reaches it.
	 */
	char path[PROFIL_PATH_SIZE];
};

/* An image has ended, by exit or exec; only one that was sampled is told of. */
#define PROFIL_END_EXEC		(-1)

struct profil_end {
	__u32 image;
	__s32 status;		/* as wait() has it, or PROFIL_END_EXEC */
	__aligned_u64 end_ns;	/* CLOCK_MONOTONIC */
	__aligned_u64 cpu_ns;	/* CPU time since JOIN, fork or exec */
};

#define PROFIL_THREAD_F_ENDED	_BITUL(0)

/*
 * A thread, told of in each half that it is sampled in, and at its end, which may be
 * told twice.
 */
struct profil_thread {
	__aligned_u64 number;	/* the pc of its node */
	__aligned_u64 cpu_ns;	/* its CPU time by then */
	__u32 image;
	__s32 tid;		/* for the observer's opener */
	__s32 inner_tid;
	__u32 flags;		/* PROFIL_THREAD_F_* */
	char comm[16];
};

/*
 * The books of one CPU's half.  Of a quiet half
 *	seen = counted + unplaced + refused + lost
 * and counted is the sum of its nodes' counts.
 */
struct profil_half {
	__aligned_u64 seen;
	__aligned_u64 counted;
	__aligned_u64 unplaced;	/* no room for the node or its image */
	__aligned_u64 refused;	/* the process was private */
	__aligned_u64 lost;	/* due while the machine stood still, or above
				 * the share of a CPU that a rate may take
				 */
	__aligned_u64 left;	/* processes: a set-user-ID exec */
	__aligned_u64 not_followed; /* forked children: no memory, or too many */
	__aligned_u64 untold;	/* ends and threads: no room, or too many at once */
	__aligned_u64 no_room;	/* of counted: PROFIL_PATH_NO_ROOM */
	__u32 nr_nodes;
	__u32 nr_images;
	__u32 nr_ends;
	__u32 nr_threads;
};

/*
 * What the mapping begins with.  Offsets in bytes.  In a half, pages behind its
 * last record are not mapped.
 */
struct profil_map {
	__u32 nr_cpus;
	__u32 nodes;		/* of one CPU's half */
	__u32 images;
	__u32 ends;
	__u32 threads;
	__u32 followed;		/* processes, at the last PROFIL_IOC_SWAP; of
				 * others that were, all is in quiet halves
				 */
	__aligned_u64 halves;	/* half h of CPU c is at halves +	*/
	__aligned_u64 half_size; /*	(2 * c + h) * half_size		*/
	__aligned_u64 nodes_at;	/* in a half */
	__aligned_u64 images_at;
	__aligned_u64 ends_at;
	__aligned_u64 threads_at;
	struct {
		__aligned_u64 begin_ns;	/* CLOCK_MONOTONIC */
		__aligned_u64 end_ns;	/* 0 while it is written */
		__aligned_u64 cpu_ns;	/* of all followed, by end_ns; each
					 * running thread but the caller: by
					 * its last tick
					 */
	} half[2];
};

/*
 * Direction and size in a number are for tools that read them, such as
 * valgrind.  The kernel goes by the size in the struct and takes a number with
 * any size, so that a struct can grow.
 */
#define PROFIL_IOC_TYPE		0xC5
#define PROFIL_IOC_INFO		_IOWR(PROFIL_IOC_TYPE, 0x00, struct profil_info)
#define PROFIL_IOC_SET		_IOW(PROFIL_IOC_TYPE, 0x01, struct profil_set)
#define PROFIL_IOC_STOP		_IOWR(PROFIL_IOC_TYPE, 0x02, struct profil_status)
#define PROFIL_IOC_QUERY	_IOWR(PROFIL_IOC_TYPE, 0x03, struct profil_status)
#define PROFIL_IOC_OBSERVE	_IOWR(PROFIL_IOC_TYPE, 0x04, struct profil_observe)
#define PROFIL_IOC_JOIN		_IOW(PROFIL_IOC_TYPE, 0x05, struct profil_join)
#define PROFIL_IOC_SWAP		_IOWR(PROFIL_IOC_TYPE, 0x06, struct profil_swap)
#define PROFIL_IOC_UNWIND	_IOWR(PROFIL_IOC_TYPE, 0x07, struct profil_unwind)

#endif /* _PROFIL_IOCTL_H */
