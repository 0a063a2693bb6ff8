#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# OpenBSD's profil() on /dev/profil.  For the guest; PROFIL_LIB_DIR is the
# library's.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# The one file in a directory.
one_file() {
	set -- "$1"/*
	[ $# -eq 1 ] && [ -s "$1" ] && echo "$1"
}

# The program sets only a variable in its memory, and OpenBSD's file is written.
openbsd_file() {
	rm -rf dir && mkdir dir
	(cd dir && ../openbsd) || return 1
	file=$(one_file dir) || return 1
	echo "$file"
	[ "$(stat -c %a "$file")" = 600 ] || return 1
	case $file in
	dir/gmon.openbsd.[0-9]*.out) ;;
	*) return 1 ;;
	esac
	gprof -O 4.4bsd -b -p openbsd "$file" >gprof.out
	cat gprof.out
	grep -Eq "work|__start_hot" gprof.out
}

no_note() {
	[ "$(./plain 0x10001)" = \
		"Operation not permitted Operation not permitted" ]
}

flags="-L$PROFIL_LIB_DIR -lprofil -Wl,-rpath,$PROFIL_LIB_DIR"
# shellcheck disable=SC2086 # a list of words
build openbsd openbsd.c -no-pie $flags
# shellcheck disable=SC2086 # a list of words
build plain openbsd.c -DPROFIL_NO_NOTE $flags
# shellcheck disable=SC2086 # a list of words
build table table.c -D_OPENBSD_SOURCE $flags
relay '' env -C /tmp "$work/openbsd"
relay '' ./table
check "the file is one that gprof -O 4.4bsd reads" openbsd_file
check "no note is EPERM, before EINVAL and scale 0" no_note
finish
