#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# monitor() of 4.3BSD: calls, files, errors.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/tool.sh"

linked() {
	build "$@" -L"$PROFIL_LIB_DIR" -lprofil -Wl,-rpath,"$PROFIL_LIB_DIR" \
		-Wno-strict-prototypes
}

# run PROGRAM MODE LINES: so many lines of messages; what it printed is in said.
run() {
	rm -f mon.out* gmon.out*
	"./$1" "$2" >said.all 2>errors
	run_status=$?
	cat errors
	grep -v '^secure' said.all >said || :
	[ "$run_status" -eq 0 ] && [ "$(wc -l <errors)" -eq "$3" ]
}

exact() {
	run "$1" "$2" 0 && prof_calls_equal "$1" mon.out said
}

limited() {
	run bare limit 1 && grep -q 'too many functions: 5 .* 2 ' errors &&
		prof_calls_equal bare mon.out said
}

two_files() {
	run bare forks 0 || return 1
	pid=$(sed -n 's/^pid //p' said)
	printf 'one 1\nthree 1\n' >parent
	printf 'burn 1\none 1\ntwo 1\n' >child
	prof_calls_equal bare mon.out parent || return 1
	cat prof.out
	! grep -q burn prof.out &&
		prof_calls_equal bare "mon.out.$pid" child || return 1
	cat prof.out
	awk '$NF == "burn" && $3 > 0' prof.out | grep -q .
}

resumed() {
	exact gmon resume || return 1
	gprof_calls gmon gmon.out >gprof.sorted
	cat gprof.sorted
	printf 'begin 1\nfour 1\none 1\n' | diff - gprof.sorted
}

# With 32 bits two of the six have one sentence, which is said once.
refused() {
	case $CC in
	*-m32*) run bare bad 5 ;;
	*) run bare bad 6 ;;
	esac && [ ! -e mon.out ]
}

buffer_gone() {
	run bare gone 1 && [ ! -e mon.out ]
}

# in_place NAME COMMAND...: what stands where mon.out should go.
in_place() {
	rm -rf mon.out target
	"$@" && ./bare again 2>errors >/dev/null || return 1
	cat errors
	grep -c 'mon.out: .*no profile written' errors | grep -qx 1
}

no_directory() {
	mkdir -p gone
	(cd gone && rmdir ../gone && ../bare pauses >/dev/null 2>../errors) ||
		return 1
	cat errors
	[ "$(wc -l <errors)" -eq 1 ]
}

full_disk() {
	rm -f mon.out
	(ulimit -f 1 && trap '' XFSZ && ./bare again 2>&1 >/dev/null) |
		cat >errors
	cat errors
	[ ! -s mon.out ] && [ "$(wc -l <errors)" -eq 1 ]
}

old_c() {
	rm -f mon.out gmon.out
	printf 'leaf 3\nwork 1\n' >page.counted
	./page "$@" && prof_calls_equal page mon.out page.counted
}

# waits HOW: the thread that has the loader does not wait for monitor().
waits() {
	rm -f mon.out
	PROFIL_BACKEND=libc timeout -s KILL 20 ./monitor_loader "$1" || {
		echo "status $?"
		return 1
	}
	[ -s mon.out ]
}

secure() {
	chgrp nogroup setid && chmod g+s setid || return 1
	rm -f mon.out
	./setid pauses >said 2>errors || return 1
	cat errors
	[ ! -e mon.out ] && [ ! -s errors ]
}

# The buffer ends 81 bytes from a word's beginning: behind it come a word for its
# own odd byte, three of the header, and bins of two bytes.  In the file 64 bytes
# come before them.
odd_buffer() {
	rm -f mon.out
	./bare odd >said || return 1
	word=$(sed -n 's/^word //p' said)
	stat -c %s mon.out
	[ "$(stat -c %s mon.out)" -eq $((64 + 80 - 4 * word)) ]
}

# The -pg run-time starts in an object that gcc -pg links: bare lacks it.
linked bare.o monitor.c -pg -c
$CC -pthread -o bare bare.o -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
linked gmon monitor.c -p
linked nopie monitor.c -p -no-pie
$CC -std=gnu89 -w -fno-inline -O1 -p -include profil.h -I"$tree/lib/include" \
	-o page "$progs/page.c" -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
check "calls with eight threads and signal handlers" exact bare threads
check "the same in a program linked with -p" exact gmon threads
check "more functions than nfunc: the most called, and it says so" limited
check "moncontrol pauses; exit writes mon.out nevertheless" exact bare pauses
check "another monitor() replaces the first, after its end too" exact bare \
	again
check "fork: the child's buffer and file are its own" two_files
check "monstartup, then monitor(0)" exact bare startup
check "the -pg run-time rests, and moncontrol resumes it" resumed
check "monstartup replaces monitor" exact bare replaced
check "_mcleanup is not the end of it" exact gmon cleanup
check "calls outside the sampled text" exact bare outside
check "not PIE" exact nopie again
check "buffers and addresses that can't be: said, and nothing is on" refused
check "a buffer that is gone at exit: said, no file" buffer_gone
check "monitor_odd_buffer_has_whole_bins" odd_buffer
check "a link in the place of mon.out" in_place ln -s target mon.out
check "a FIFO in the place of mon.out" in_place mkfifo mon.out
check "a directory in the place of mon.out" in_place mkdir mon.out
rm -rf mon.out
check "a directory that is gone: said once" no_directory
check "a file that can't be written: said, nothing half" full_disk
check "the page's calls in old C" old_c
check "the page's monstartup in old C" old_c monstartup
linked monitor_loader monitor_loader.c -rdynamic
echo "void from_constructor(void);
	__attribute__((constructor)) static void begin(void)
	{ from_constructor(); }" | $CC -xc - -shared -fPIC -o waits.so
check "monitor_waits_for_list_without_lock" waits list
check "monitor_waits_for_object_without_lock" waits object
cp bare setid
if_runs set-id "a set-id program writes no file" secure
finish
