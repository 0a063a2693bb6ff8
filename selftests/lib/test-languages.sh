#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# C++ with threads, Fortran, and a program of 20 workers: gprof's calls are
# those that the program counted, and, where there is a kernel to see it, its
# shares those of the work.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

flags="-L$PROFIL_LIB_DIR -lprofil -Wl,-rpath,$PROFIL_LIB_DIR"
args=
seconds=
if [ -e /dev/profil ]; then
	args=ticks
	seconds=10
fi

cxx() {
	# shellcheck disable=SC2086 # a list of words
	cached cxx g++ -std=c++17 -O1 -g -Wall -Wextra -Werror -fno-inline -pthread -pg \
		-I"$tree/lib/include" -o cxx "$progs/cxx.cc" $flags
}

fortran() {
	cached fortran gfortran -O1 -g -Wall -Werror -fno-inline -ffree-line-length-none -pg \
		-Wno-tabs -o fortran "$progs/fortran.f90"
}

exact() {
	exact_program=$1
	shift
	rm -f gmon.out
	under "./$exact_program" "$@" >counted 2>errors || return 1
	cat errors
	LC_ALL=C sort counted >counted.sorted
	[ -s counted.sorted ] || return 1
	gprof -b -p "$exact_program" gmon.out >gprof.out
	cut -d ' ' -f 1 counted.sorted >names
	# Of those alone that the program counts.
	gprof_calls "$exact_program" gmon.out |
		awk 'NR == FNR { named[$1] = 1; next } $1 in named' names - \
		>gprof.sorted
	diff counted.sorted gprof.sorted
}

# shares THREE ONE: of the last gprof.out.
shares() {
	cat gprof.out
	awk '$NF == a { t = $3 } $NF == b { o = $3 }
	     END { share = 100 * t / (t + o + 0.001)
		   exit !(share > 70 && share < 80) }' a="$1" b="$2" gprof.out
}

workers() {
	rm -f gmon.* calls.*
	# shellcheck disable=SC2086 # none, or one
	under ./workers $args >parent.pid || return 1
	parent=$(cat parent.pid)
	nr=0
	for file in calls.*; do
		pid=${file#calls.}
		gmon=gmon.out.$pid
		[ "$pid" != "$parent" ] || gmon=gmon.out
		calls_equal workers "$gmon" "$file" || return 1
		nr=$((nr + 1))
	done
	[ "$nr" -eq 21 ]
}

summed() {
	gprof -b -p workers gmon.out.* >gprof.out || return 1
	shares three one
}

check "a C++ program" cxx
# shellcheck disable=SC2086 # none, or one
check "C++: calls before main, in threads, with exceptions" exact cxx $args
[ -z "$args" ] || check "C++: shares" shares 'three()' 'one()'
check "a Fortran program" fortran
# shellcheck disable=SC2086 # none, or one
check "Fortran: calls" exact fortran $seconds
[ -z "$args" ] ||
	check "Fortran: shares" shares __mix_MOD_three __mix_MOD_one
# shellcheck disable=SC2086 # a list of words
check "a program of workers" build workers workers.c -pg $flags
check "20 workers: the calls of each in its own file" workers
[ -z "$args" ] || check "20 workers: shares, all together" summed
finish
