#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Static programs with libprofil.a, and programs of another C library, musl,
# which has neither profil() nor a -pg run-time of its own.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# What the C library calls is called from the text of a static program.
own() {
	gprof_calls "$1" gmon.out | grep -vE '^(main|thread|handler) '
}

exact() {
	rm -f gmon.*
	"./$1" >"$1.counted" 2>errors || return 1
	cat errors
	own "$1" >"$1.gprof"
	LC_ALL=C sort "$1.counted" >counted.sorted
	[ -s counted.sorted ] && diff counted.sorted "$1.gprof"
}

forked() {
	rm -f gmon.*
	"./$1" || return 1
	own "$1" >parent.gprof
	LC_ALL=C sort parent | diff - parent.gprof || return 1
	calls_equal "$1" "gmon.out.$(cat child.pid)" child
}

# 3 to 1, where there is a kernel to see it.
sampled() {
	rm -f gmon.*
	"./$1" 100 ticks || return 1
	gprof -b -p "$1" gmon.out >gprof.out
	cat gprof.out
	awk '$NF == "three" { t = $3 } $NF == "one" { o = $3 }
	     END { share = 100 * t / (t + o + 0.001)
		   exit !(share > 70 && share < 80) }' gprof.out
}

made() {
	made_source=$1
	shift
	build "$made_source.$kind" "$made_source.c" \
		-fno-optimize-sibling-calls "$@"
}

# kind NAME FLAG...: in a guest, which is slow, what the host can't show.
kind() {
	kind=$(echo "$1" | tr ' ' -)
	shift
	made spin -pg "$@" || return 1
	if [ -e /dev/profil ]; then
		check "shares of $kind" sampled "spin.$kind"
		return
	fi
	for source in calls threads fork; do
		made "$source" -pg "$@" || return 1
	done
	check "calls of $kind" exact "calls.$kind"
	check "threads of $kind" exact "threads.$kind"
	check "a fork of $kind" forked "fork.$kind"
}

# A program without -pg is left alone.
quiet() {
	build quiet calls.c -Wl,--no-as-needed "$@" || return 1
	rm -f gmon.*
	./quiet >quiet.out 2>&1 || return 1
	grep libprofil: quiet.out && return 1
	! ls gmon.*
}

kind "a static program" -static -L"$PROFIL_LIB_DIR" -lprofil
kind "a static PIE" -static-pie -L"$PROFIL_LIB_DIR" -lprofil
case $CC in
*-m32*) finish ;;
esac
if ! command -v musl-gcc >musl; then
	skip "musl" "no musl-gcc"
	finish
fi
CC=musl-gcc
# Kept, for the guest to find it made.
lib=$PROFIL_LIB_DIR.musl
check "the library builds with musl-gcc" make -s -C "$tree/lib" O="$lib" \
	CC="$CC"
untold() {
	build dlerror dlerror.c -pg -L"$lib" -lprofil -Wl,-rpath,"$lib" &&
		./dlerror && PROFIL_DSO=1 ./dlerror && rm -rf gmon.*
}
check "a musl program is told of no look-up of the library's" untold
kind "a musl program" -L"$lib" -lprofil -Wl,-rpath,"$lib"
kind "a static musl program" -static -L"$lib" -lprofil
[ ! -e /dev/profil ] || finish
kind "a musl program with libprofil.a" "$lib/libprofil.a"
build errno errno_kept.c -pg -L"$lib" -lprofil -Wl,-rpath,"$lib"
relay "musl: " ./errno start
check "a musl program without -pg" quiet -L"$lib" -lprofil -Wl,-rpath,"$lib"
finish
