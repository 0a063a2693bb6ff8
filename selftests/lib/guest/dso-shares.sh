#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The samples of shared objects on /dev/profil.  For the guest.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
. "$here/../dso.sh"

objects() {
	common_objects && mkdir -p heavy &&
		object heavy/p4.so 4 100 && object heavy/p5.so 5 100
}

# seconds OBJECT FUNCTION: in it, by the object's file.
seconds() {
	gprof -b -p "$1" "gmon.$1.out" | awk -v name="$2" \
		'$NF == name { s = $3 } END { print s + 0 }'
}

one_two_three() {
	run linked linked 0 || return 1
	echo "$(seconds lib1.so leaf_1)" "$(seconds lib2.so leaf_2)" \
		"$(seconds lib3.so leaf_3)" | tee shares
	awk '{ all = $1 + $2 + $3
	       for (i = 1; i <= 3; i++) {
			off = all ? 100 * $i / all - 100 * i / 6 : 100
			bad = bad || off > 5 || off < -5
	       } } END { exit bad }' shares
}

# All but the last of the work was done by what had gone again.
gone_again() (
	cd heavy
	run ../dso swap 50 || return 1
	echo "$(seconds p4.so leaf_4)" "$(seconds p5.so leaf_5)" | tee shares
	awk '{ share = 100 * $1 / ($1 + $2 + 0.001)
	       exit !(share > 40 && share < 60) }' shares
)

# As a user with a small RLIMIT_MEMLOCK: coarser bins, but some.
little_memory() {
	rm -f gmon.*
	PROFIL_DSO=1 as_nobody prlimit --memlock=300000 ./linked linked 500 \
		>counted 2>errors || { cat errors && return 1; }
	cat errors
	grep -c RLIMIT_MEMLOCK errors | grep '^1$' || return 1
	agree counted gmon.*.out || return 1
	seconds lib3.so leaf_3 | awk '{ exit !($1 > 0.1) }'
}

own_and_objects() {
	own "$1" && cp gmon.own.*/gmon.p4.so.out . &&
		seconds p4.so leaf_4 | awk '{ print; exit !($1 > 0) }'
}

own_rest() {
	own rest && grep "own profile are in that alone" errors
}

own_monitor() {
	own_and_objects monitor && [ -s mon.out ]
}

own_thread() {
	own thread && grep "a thread has a profile of its own" errors
}

check "objects and programs" objects
check "three libraries in the shares of their work" one_two_three
check "samples of objects that have gone" gone_again
check "little memory to pin" little_memory
for mode in open before off two unmapped; do
	check "the program's own profile and the objects: $mode" \
		own_and_objects $mode
done
check "the program's own overflow region has what it would alone" \
	own_rest
check "monitor() and the objects" own_monitor
check "a thread's own profile is not the objects', which is said" \
	own_thread
finish
