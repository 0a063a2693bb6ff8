#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Profiles of one program add up, whatever their counts: gprof's and prof's sums.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/tool.sh"

# spread NAME FLAG...
spread() {
	spread_name=$1
	shift
	build "$spread_name" spread.c -pg -I"$tree/lib" "$@" \
		"$PROFIL_LIB_DIR/libprofil.a"
}

# take FILE COUNT...: FILE is a profile with these counts.
take() {
	take_file=$1
	shift
	rm -f gmon.out
	PROFIL_BACKEND=libc "./$program" "$@" 2>said && mv gmon.out "$take_file"
}

# The ranges of a file's histogram records, without repetitions.
ranges() {
	perl -e '
		use strict; use warnings; local $/; my $d = <>;
		my ($w, $at) = ($ENV{WORD} == 4 ? "L" : "Q", 20);
		my ($head, $last) = (2 * $ENV{WORD} + 8, "");
		while (ord(substr $d, $at, 1) == 0 && $at < length $d) {
			my ($low, $high, $nr) =
				unpack "x$w${w}L", substr $d, $at, 25;
			my $range = "$low $high $nr\n";
			print $range if $range ne $last;
			$last = $range;
			$at += 1 + $head + 16 + 2 * $nr;
		}' "$1"
}

# seconds_of FILE...: of spin, in samples, as gprof adds up.
seconds_of() {
	gprof -b -p "$program" "$@" >gprof.out || return 1
	hz=$(sed -n 's/^Each sample counts as \(.*\) seconds.*/\1/p' gprof.out)
	awk -v each="$hz" '$NF == "spin" { printf "%.0f\n", $3 / each }' \
		gprof.out
}

same_shape() {
	take short 0:5 && take long 0:70000 1:300000 && take zero || return 1
	for file in short long zero; do
		ranges $file >$file.ranges
	done
	wc -l short.ranges
	[ -s short.ranges ] && cmp short.ranges long.ranges &&
		cmp short.ranges zero.ranges
}

gprof_sums() {
	take short 0:5 && take long 0:20000 2:70000 &&
		take other 0:200000 || return 1
	[ "$(seconds_of short long)" = 90005 ] &&
		[ "$(seconds_of long short)" = 90005 ] &&
		[ "$(seconds_of short other long)" = 290005 ] || return 1
	rm -f gmon.sum
	gprof -s "$program" short long && mv gmon.sum twice &&
		gprof -s "$program" long twice short other
}

# prof_has SAMPLES FILE...: of spin, and ten calls in each of three runs.
prof_has() {
	prof_wanted=$1
	shift
	"$prof" "$program" "$@" >prof.out || return 1
	cat prof.out
	hz=$(od -An -tu4 -j$((20 + 1 + 2 * WORD + 4)) -N4 short)
	awk -v hz="$((hz))" -v wanted="$prof_wanted" '
		$NF == "spin" { got = $3 * hz; calls = $4 }
		END { print got, calls
		      exit !(got > wanted - hz / 50 &&
			     got < wanted + hz / 50 && calls == 30) }' prof.out
}

prof_sums() {
	prof_has 290005 short other long || return 1
	rm -f mon.sum
	"$prof" -s "$program" long short >first 2>said || return 1
	"$prof" -s "$program" mon.sum other >second 2>>said || return 1
	cat said
	[ ! -s said ] && prof_has 290005 mon.sum
}

# No counter is full, but where the bin itself is.
told() {
	for count in 65534 65535 65536 131070 196605 300000; do
		take file 0:$count && "$prof" "$program" file >got 2>said ||
			return 1
		cat said
		[ ! -s said ] || return 1
	done
}

full_told() {
	take file 0:4294967295 1:65535 && "$prof" "$program" file 2>said
	cat said
	grep -q ' 1 counter ' said && [ "$(wc -l <said)" -eq 1 ]
}

# each NAME WORD: all of them for a program.
each() {
	program=$1
	WORD=$2
	export WORD
	check "$1: a profile's shape does not depend on its counts" same_shape
	check "$1: gprof adds up long and short profiles" gprof_sums
	check "$1: prof adds up long and short profiles" prof_sums
}

spread static -static
each static 8
check "counts that were spread are no full counters" told
check "a bin that is full is said, once" full_told
spread big -static -DBIG
each big 8
spread pie
each pie 8
# shellcheck source=/dev/null
. "$here/m32.sh"
spread static32 -static
each static32 4
finish
