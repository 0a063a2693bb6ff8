#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -pg programs with PROFDIR and no kernel that could write there.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

told() {
	rm -f gmon.*
	PROFDIR=$work PROFIL_BACKEND=libc ./confined 2>errors || return 1
	cat errors
	[ -s gmon.out ] && [ "$(wc -l <errors)" -eq 1 ] &&
		grep -q "PROFDIR.*/dev/profil.*gmon.out" errors
}

quiet() {
	rm -f gmon.*
	PROFDIR='' PROFIL_BACKEND=libc ./confined 2>errors || return 1
	[ -s gmon.out ] && [ ! -s errors ]
}

build confined confined.c -pg -D_GNU_SOURCE -D_OPENBSD_SOURCE \
	-include profil.h -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
check "-pg with PROFDIR and the C library: gmon.out, and a line" told
check "-pg with an empty PROFDIR is as without" quiet
finish
