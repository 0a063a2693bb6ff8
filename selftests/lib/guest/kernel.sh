#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The library on /dev/profil.  For the guest; PROFIL_LIB_DIR is the library's.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

limited() {
	rm -f gmon.out
	chmod 777 .
	./memlock "$1" >said 2>errors
	cat said errors
	[ "$(cat said)" = "$2" ] && [ -s gmon.out ] || return 1
	if [ -n "$3" ]; then
		[ "$(wc -l <errors)" -eq 1 ] && grep -q "$3" errors
	else
		[ ! -s errors ]
	fi
}

flags="-Wl,-rpath,$PROFIL_LIB_DIR -L$PROFIL_LIB_DIR -lprofil"
# shellcheck disable=SC2086 # a list of words
build kernel kernel.c $flags
# shellcheck disable=SC2086 # a list of words
build memlock memlock.c $flags
# shellcheck disable=SC2086 # a list of words
build unable unable.c $flags
relay '' ./kernel
relay 'RLIMIT_MEMLOCK: ' ./unable
check "-pg: enough RLIMIT_MEMLOCK, fine bins" limited 4000000 kernel ""
check "-pg: half of that, bins as the C library's" limited 1200000 kernel ""
check "-pg: little, coarser bins, and it says so" limited 100000 kernel \
	"a bin has 64 bytes"
check "-pg: none, the C library serves, and it says so" limited 0 libc \
	SIGPROF
finish
