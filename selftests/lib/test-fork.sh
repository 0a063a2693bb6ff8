#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# fork: each process has its own file, with its own calls and samples.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

build prog fork.c -pg -fno-optimize-sibling-calls
under ./prog || { fail "a program that forks"; finish; }
pid=$(cat child.pid)

# A second of CPU time in burn, which only the child ran.
sampled() {
	gprof -b -p prog "$1" | awk '$NF == "burn" && $3 > 0' | grep .
}

not_sampled() {
	! sampled "$1"
}

own_timer() {
	PROFIL_BACKEND=libc under ./timer >said || return 1
	cat said
	[ "$(sort said | tr '\n' ' ')" = "child: none parent: its own " ]
}

two_files() {
	[ $# -eq 2 ] && [ -s "$1" ] && [ -s "$2" ]
}

check "the parent's calls" calls_equal prog gmon.out parent
check "the child's calls, in a file of its own" \
	calls_equal prog "gmon.out.$pid" child
check "the child is sampled" sampled "gmon.out.$pid"
check "the parent has none of the child's samples" not_sampled gmon.out
GMON_OUT_PREFIX=$work/prefix under ./prog
check "GMON_OUT_PREFIX with a fork: two files" \
	two_files prefix.*
build timer fork_timer.c -Wno-nonnull
check "a child has no timer of its parent's" own_timer
finish
