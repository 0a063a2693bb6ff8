#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Unmodified dynamic -pg programs: gprof's calls are those that were made.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# one NAME SOURCE FLAG...: build it, run it under the library, compare.
one() {
	one_name=$1
	shift
	build "$one_name" "$@" || return 1
	rm -f gmon.out
	under "./$one_name" >"$one_name.counted" || return 1
	calls_equal "$one_name" gmon.out "$one_name.counted"
}

same_as_glibc() {
	rm -f gmon.out
	./pie >/dev/null || return 1
	gprof_calls pie gmon.out >glibc.calls
	rm -f gmon.out
	under ./pie >/dev/null || return 1
	gprof_calls pie gmon.out >own.calls
	[ -s own.calls ] && diff glibc.calls own.calls
}

check "calls of a PIE" one pie calls.c -pg
check "calls of a program that is not PIE" one nopie calls.c -pg -no-pie
check "calls with -O2" one opt calls.c -pg -O2 \
	-fno-ipa-cp -fno-ipa-sra
check "calls with eight threads and signal handlers" one threads threads.c -pg
check "the same calls as glibc's own run-time" same_as_glibc
case $($CC -dumpmachine)/$CC in
*-m32*)
	check "calls with -mfentry" one fentry calls.c -pg -mfentry -DNO_NESTED \
		-fno-pic -no-pie
	check "threads with -mfentry" one fthreads threads.c -pg -mfentry \
		-fno-pic -no-pie
	;;
x86_64*)
	check "calls with -mfentry" one fentry calls.c -pg -mfentry \
		-DNO_NESTED
	check "threads with -mfentry" one fthreads threads.c -pg -mfentry
	;;
*)
	skip "calls with -mfentry" "not this machine"
	skip "threads with -mfentry" "not this machine"
	;;
esac
finish
