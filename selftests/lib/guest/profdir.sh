#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -pg programs with a profile that the kernel writes.  For the guest;
# PROFIL_LIB_DIR is the library's.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
. "$here/../tool.sh"

# The one file in a directory.
one_file() {
	set -- "$1"/*
	[ $# -eq 1 ] && [ -s "$1" ] && echo "$1"
}

calls() {
	gprof -O 4.4bsd -b -p "$1" "$2" >gprof.out || return 1
	cat gprof.out >&2
	awk 'NF == 7 && $1 ~ /^[0-9.]+$/ { print $7, $4 }' gprof.out |
		LC_ALL=C sort
}

# written PROGRAM ARGUMENT: its file, with shares and calls that are right
written() {
	rm -rf dir gmon.out && mkdir -m 700 dir
	PROFDIR=$work/dir "./$1" "$2" || return 1
	[ ! -e gmon.out ] || return 1
	file=$(one_file dir) || return 1
	[ "$(stat -c %u:%a "$file")" = 0:600 ] || return 1
	calls "$1" "$file" >made
	cat made
	grep -qx "three 7000" made && grep -qx "one 7000" made || return 1
	awk '$NF == "three" { t = $3 } $NF == "one" { o = $3 }
	     END { share = 100 * t / (t + o); print share
		   exit !(share > 62 && share < 88) }' gprof.out
}

# The same shares and calls, to a hundredth of a second.
prof_agrees() {
	prof_calls confined "$file" >made.prof || return 1
	cat prof.out gprof.out
	diff made made.prof && for name in one three; do
		awk -v name=$name '$NF == name { print int($3 * 100 + 0.5) }' \
			prof.out gprof.out | sort -un >seconds
		[ "$(wc -l <seconds)" -eq 1 ] || return 1
	done
}

forked() {
	rm -rf dir gmon.out && mkdir dir
	PROFDIR=$work/dir ./confined fork || return 1
	ls dir
	[ "$(find dir -type f | wc -l)" = 2 ] || return 1
	for file in dir/*; do
		calls confined "$file"
	done 2>/dev/null >made
	cat made
	# The child counts its own samples: few, perhaps 0.
	grep -qx "three 7000" made && grep -qx "one 5" made
}

# told PATTERN PROGRAM DIRECTORY: gmon.out, and one line why
told() {
	rm -f gmon.out
	PROFDIR=$3 "./$2" 2>errors || return 1
	cat errors
	[ -s gmon.out ] && [ "$(wc -l <errors)" -eq 1 ] && grep -q "$1" errors
}

flags="-L$PROFIL_LIB_DIR -lprofil -Wl,-rpath,$PROFIL_LIB_DIR"
note="-D_GNU_SOURCE -D_OPENBSD_SOURCE -include profil.h"
# shellcheck disable=SC2086 # lists of words
{
	build confined confined.c -pg $note $flags
	build confined_nopie confined.c -pg -no-pie $note $flags
	build confined_static confined.c -pg -static $note \
		"$PROFIL_LIB_DIR/libprofil.a"
	build confined_plain confined.c -pg -D_GNU_SOURCE $flags
}
check "-pg with PROFDIR: the kernel writes" written confined ""
check "-pg with PROFDIR: prof reads what gprof -O 4.4bsd reads" prof_agrees
check "-pg with PROFDIR, not position-independent" written confined_nopie ""
check "-pg with PROFDIR, static" written confined_static ""
check "-pg with PROFDIR, confined before its end" written confined confine
check "-pg with PROFDIR: a forked child has its own" forked
check "-pg with PROFDIR and no note: gmon.out, and a line" \
	told "no profiling note" confined_plain "$work"
check "-pg with a PROFDIR that is not there: gmon.out, and a line" \
	told "No such file" confined "$work/none"
finish
