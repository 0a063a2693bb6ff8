#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Which backend serves, and what the environment makes of it.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

says() {
	says_backend=$1
	says_file=$2
	shift 2
	printf '%s\n' "$@" >wanted
	PROFIL_BACKEND=$says_backend "./$says_file" >said 2>errors
	cat errors
	diff wanted said
}

no_samples() {
	rm -f gmon.out
	PROFIL_BACKEND=kernel under ./calls >calls.counted 2>errors || return 1
	cat errors
	[ "$(wc -l <errors)" -eq 1 ] && calls_equal calls gmon.out calls.counted
}

build shared backend.c -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
build archive backend.c "$PROFIL_LIB_DIR/libprofil.a"
build late late.c -L"$PROFIL_LIB_DIR" -lprofil -Wl,-rpath,"$PROFIL_LIB_DIR"
build own_prof own_prof.c -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
build static backend.c -static "$PROFIL_LIB_DIR/libprofil.a" \
	-Wl,-u,__profil
build calls calls.c -pg
if [ -e /dev/profil ]; then
	set -- "profil 0" "backend 1 kernel" "counts 0" "size Invalid argument"
else
	set -- "profil 0" "backend 2 libc" "counts Operation not supported" \
		"size Invalid argument"
fi
check "the backend that is there" says "" shared "$@"
check "an unknown PROFIL_BACKEND is ignored" says other shared "$@"
check "the same from libprofil.a" says "" archive "$@"
check "the same in a static program" says "" static "$@"
check "PROFIL_BACKEND=libc" says libc shared "profil 0" "backend 2 libc" \
	"counts Operation not supported" "size Invalid argument"
check "a SIGPROF that is late changes no bins" says libc late "handler set" \
	"bins changed" "handler none" "bins the same"
check "SIGPROF and its timer come back" says libc own_prof \
	"timer kept" "threads kept" "action kept"
if [ -e /dev/profil ]; then
	skip "PROFIL_BACKEND=kernel without a device" "there is one"
	skip "calls are counted where nothing samples" "there is a device"
else
	check "PROFIL_BACKEND=kernel without a device" says kernel shared \
		"profil No such device" "backend 0 none" \
		"counts No such device" "size Invalid argument"
	check "calls are counted where nothing samples" no_samples
fi
finish
