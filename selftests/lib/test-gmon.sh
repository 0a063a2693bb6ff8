#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The run-time of -pg programs: files, moncontrol, set-id programs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

linked() {
	build "$@" -L"$PROFIL_LIB_DIR" -lprofil -Wl,-rpath,"$PROFIL_LIB_DIR"
}

prefixed() {
	rm -rf gmon.out prefix.*
	GMON_OUT_PREFIX=$work/prefix under ./calls >/dev/null || return 1
	[ ! -e gmon.out ] || return 1
	gprof_calls calls "$(echo prefix.*)" >with.prefix
	[ -s with.prefix ]
}

# 255 bytes are the most, and a pid has at most 7.
long_prefix() {
	rm -rf gmon.out long && mkdir long
	GMON_OUT_PREFIX=long/$(printf '%0240d' 0) under ./calls >/dev/null ||
		return 1
	ls long
	[ ! -e gmon.out ] && gprof_calls calls long/0* >with.long &&
		[ -s with.long ]
}

bad_prefix() {
	rm -f gmon.out
	GMON_OUT_PREFIX=$work/none/x under ./calls >/dev/null 2>errors ||
		return 1
	cat errors
	[ -s gmon.out ] && [ "$(wc -l <errors)" -eq 1 ]
}

no_directory() {
	mkdir -p gone
	(cd gone && rmdir ../gone &&
		under ../calls >/dev/null 2>../errors) || return 1
	cat errors
	[ "$(wc -l <errors)" -eq 1 ]
}

full_disk() {
	rm -f gmon.out
	(ulimit -f 0 && trap '' XFSZ &&
		under ./calls 2>&1 >/dev/null) | cat >errors
	cat errors
	[ ! -s gmon.out ] && [ "$(wc -l <errors)" -eq 1 ]
}

paused() {
	rm -f gmon.out
	under ./spin 20000 pause || return 1
	gprof_calls spin gmon.out >paused.calls
	cat gprof.out paused.calls
	[ "$(cat paused.calls)" = "one 1" ]
}

toggled() {
	rm -f gmon.out
	./toggle x >toggle.calls || return 1
	gprof_calls toggle gmon.out >toggle.gprof || return 1
	cat toggle.calls toggle.gprof
	awk 'NR == FNR { made[$1] = $2; next }
	     $1 in made && $2 > made[$1] { exit 1 }' \
		toggle.calls toggle.gprof
}

again() {
	rm -f gmon.out
	./again >again.calls || return 1
	calls_equal again gmon.out again.calls
}

# Without the kernel, how many and how even the samples are is luck: there, it
# is only told that the functions are not taken for each other.
sampled() {
	width=45
	[ ! -e /dev/profil ] || width=5
	rm -f gmon.out
	under ./spin 30000 ticks >said || return 1
	gprof -b -p spin gmon.out >gprof.out
	cat gprof.out
	awk '$NF == "three" { t = $3 } $NF == "one" { o = $3 }
	     END { share = 100 * t / (t + o)
		   exit !(share > 75 - w && share <= 75 + w) }' \
		w="$width" gprof.out
}

# started HOW CALLS: a handler in the middle of monstartup() neither waits for
# ever nor is lost, and the file has libc's rate.
started() {
	rm -f gmon.out
	PROFIL_BACKEND=libc timeout -s KILL 20 ./start_handler "$1" || {
		echo "status $?"
		return 1
	}
	gprof -b start_handler gmon.out >gprof.out
	gprof_calls start_handler gmon.out >started.calls
	cat gprof.out started.calls
	grep '^Each sample counts as 0.01 seconds' gprof.out &&
		[ "$(grep -c '^counted 1$' started.calls)" -eq "$2" ]
}

# left PROGRAM FILE CALLS: the file at the end has so many calls.
left() {
	gprof_calls "$1" "$2" >left.calls
	cat left.calls
	grep "^counted $3\$" left.calls
}

# ends PROGRAM HOW FILES CALLS: so many files are written, gmon.out with so many
# calls.
ends() {
	rm -f gmon.*
	"./$1" "$2" >said || return 1
	cat said
	[ "$(grep -c written said)" -eq "$3" ] && left "$1" gmon.out "$4"
}

ends_twice() {
	ends "$1" fork 2 2 && left "$1" "$(echo gmon.out.[0-9]*)" 1
}

secure() {
	chgrp nogroup setid && chmod g+s setid || return 1
	rm -f gmon.out
	./setid 1 >setid.out || return 1
	! [ -e gmon.out ]
}

build calls calls.c -pg
check "GMON_OUT_PREFIX names the file, with the pid" prefixed
check "GMON_OUT_PREFIX may be as long as a name" long_prefix
check "a prefix that can't be written: said once, gmon.out serves" bad_prefix
check "a directory that is gone: said once" no_directory
check "a file that can't be written: said once, nothing half" full_disk
linked spin spin.c -pg
check "moncontrol pauses samples and calls" paused
check "two functions 3 to 1 in the flat profile" sampled
linked toggle threads.c -pg
check "moncontrol from threads and handlers at once" toggled
linked again again.c -pg
check "_mcleanup and monstartup again and again" again
build start_handler.o start_handler.c -pg -c
$CC -o start_handler start_handler.o -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
check "start_handler_resumes_without_wait" started backend 1
check "start_handler_may_ask_for_backend" \
	env PROFIL_BACKEND=libc timeout -s KILL 20 ./start_handler choose
check "start_handler_pause_is_kept" started pause 0
check "start_handler_writes_the_rate" started write 0
build startup_end.o startup_end.c -pg -fno-pie -c
$CC -no-pie -o startup_end startup_end.o -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
$CC -static -o static_end startup_end.o -L"$PROFIL_LIB_DIR" -lprofil
linked gcrt1_pie startup_end.c -pg -fpie -pie
linked gcrt1_nopie startup_end.c -pg -fno-pie -no-pie
for kind in startup_end static_end; do
	check "${kind}_without_pg_writes_file" ends $kind exit 1 2
	check "${kind}_paused_writes_file" ends $kind pause 1 1
	check "${kind}_written_is_not_repeated" ends $kind write 1 1
	check "${kind}_resumed_writes_anew" ends $kind resume 2 2
	check "${kind}_child_has_own_file" ends_twice $kind
done
for kind in gcrt1_pie gcrt1_nopie; do
	check "${kind}_write_is_not_repeated" ends $kind gcrt1 1 2
	check "${kind}_writes_after_program" ends $kind write 2 1
done
linked setid spin.c -pg
if_runs set-id "a set-id program writes no file" secure
finish
