# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # sourced after lib.sh
# prof for the tests that need it, and what it says of calls.

# One prof reads profiles of programs with either word.
prof=${PROFIL_LIB_DIR%.32}/prof
if [ ! -x "$prof" ]; then
	make -s -C "$tree/lib" O="$work/tool" CC=gcc prof
	prof=$work/tool/prof
fi

# prof_calls PROGRAM FILE: "name calls" of every function that was called.
prof_calls() {
	"$prof" -m "$2" "$1" >prof.out || return 1
	awk 'NR > 3 && NF == 6 { print $6, $4 }' prof.out | LC_ALL=C sort
}

# prof_calls_equal PROGRAM FILE COUNTED: the program's own counts.
prof_calls_equal() {
	LC_ALL=C sort "$3" >counted.sorted
	prof_calls "$1" "$2" >prof.sorted || return 1
	[ -s counted.sorted ] && diff counted.sorted prof.sorted
}
