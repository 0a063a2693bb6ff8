#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Programs that end otherwise than by exit: how they keep their profile.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# ends STATUS HOW...
ends() {
	wanted=$1
	shift
	rm -f gmon.out
	status=0
	# shellcheck disable=SC2086 # none, or two words
	${limit-} ./ends "$@" >said 2>errors || status=$?
	cat errors
	[ "$status" -eq "$wanted" ] || { echo "status $status"; return 1; }
}

saved() {
	ends "$@" || return 1
	gprof_calls ends gmon.out | grep '^counted 1000$'
}

not_saved() {
	ends "$@" && ! ls gmon.out
}

# The signal finds the threads elsewhere each time.
handled() {
	limit="timeout 100"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		saved 0 handler || return 1
	done
	limit=
}

on() {
	PROFIL_ON_SIGNAL=$1
	export PROFIL_ON_SIGNAL
	shift
	on_status=0
	"$@" || on_status=1
	unset PROFIL_ON_SIGNAL
	return $on_status
}

ignored() {
	(trap '' TERM && on TERM not_saved 9 kill 15)
}

unknown() {
	on "TERM,NONE" saved 143 kill 15 || return 1
	grep -c 'PROFIL_ON_SIGNAL: NONE:' errors | grep '^1$'
}

secure() {
	chgrp nogroup ends && chmod g+s ends || return 1
	rm -f gmon.out
	status=0
	PROFIL_ON_SIGNAL=TERM ./ends kill 15 || status=$?
	chmod g-s ends
	[ "$status" -eq 143 ] && ! ls gmon.out
}

cancelled() {
	rm -f gmon.out
	timeout -s KILL 20 ./cancelled && [ -s gmon.out ]
}

early() {
	rm -f gmon.*
	status=0
	PROFIL_ON_SIGNAL=TERM ./early || status=$?
	echo "status $status"
	[ "$status" -eq 143 ] && ! ls gmon.out.new.*
}

build ends ends.c -pg -O0 -fno-optimize-sibling-calls \
	-Wno-infinite-recursion -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
build cancelled cancelled.c -pg -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
build early early.c -D_GNU_SOURCE -pg -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
check "a thread that is cancelled holds no lock" cancelled
check "PROFIL_ON_SIGNAL: a signal while it starts" early
check "_mcleanup before _exit" saved 0 exit
check "_mcleanup in a handler, whatever it interrupts" handled
check "a signal leaves no file by itself" not_saved 143 kill 15
check "PROFIL_ON_SIGNAL: killed by SIGTERM" on "INT TERM" saved 143 kill 15
check "PROFIL_ON_SIGNAL: SIGINT" on "SIGINT,TERM" saved 130 kill 2
check "PROFIL_ON_SIGNAL: another signal" on INT not_saved 143 kill 15
check "PROFIL_ON_SIGNAL: a fault" on SEGV saved 139 segv
check "PROFIL_ON_SIGNAL: abort" on ABRT saved 134 abort
check "PROFIL_ON_SIGNAL: a stack that is full" on SEGV saved 139 overflow
check "PROFIL_ON_SIGNAL: not over the program's handler" on TERM not_saved 0 own
check "PROFIL_ON_SIGNAL: not where it is ignored" ignored
check "PROFIL_ON_SIGNAL: an unknown name is said once" unknown
if_runs set-id "PROFIL_ON_SIGNAL: not in a set-id program" secure
finish
