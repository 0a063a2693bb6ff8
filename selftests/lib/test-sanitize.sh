#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The library and programs under it, all instrumented by ASan and UBSan, by
# TSan, and run by valgrind.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# library NAME FLAG...: in a directory of its own.
library() {
	library_name=$1
	shift
	make -s -C "$tree/lib" O="$work/$library_name" CFLAGS="-O1 -g $*" ||
		{ : >uncompiled; return 1; }
}

programs() {
	programs_lib=$1
	shift
	for id in 4 5; do
		build p$id.so dso_object.c -pg -shared -fPIC "-DID=$id" "$@" ||
			return 1
	done
	for name in calls threads fork again dso planted; do
		build $name $name.c -pg -rdynamic -fno-optimize-sibling-calls \
			-L"$programs_lib" -lprofil \
			-Wl,-rpath,"$programs_lib" "$@" || return 1
	done
}

# A sanitizer calls some files before it can be called itself: lib/Makefile.
unit() {
	rm -rf objects
	mkdir objects
	for file in "$progs"/unit*.c "$tree"/lib/*.c "$tree"/lib/*/*.[cS]; do
		name=${file##*/}
		case $name in
		altstack.c | held.c | signals.c) plain=-fno-sanitize=all ;;
		*) plain= ;;
		esac
		$CC -O1 -g -std=gnu11 -pthread -I"$tree/lib" \
			-I"$tree/lib/include" -I"$tree/uapi" "$@" $plain -c -o "objects/$name.o" \
			"$file" || return 1
	done
	$CC -pthread -o unit objects/*.o "$@" || return 1
	clean ./unit
}

# A report of the detector is a status other than 0.
clean() {
	rm -f gmon.*
	# shellcheck disable=SC2086 # none, or words
	${detector-} "$@" >said 2>errors && return
	cat errors
	grep '^not ok' said
	return 1
}

objects() {
	for mode in "loop 20" "race 20" "swap 10" late fork; do
		# shellcheck disable=SC2086 # words
		PROFIL_DSO=1 clean ./dso $mode || return 1
	done
}

# found KIND...: the detector is awake.
found() {
	for kind; do
		! clean ./planted "$kind" >found.log || return 1
	done
	clean ./planted none
}

# The calls, too, are what they were.
exact() {
	clean ./threads || return 1
	cp said counted
	calls_equal threads gmon.out counted
}

# all DETECTOR KIND...
all() {
	name=$1
	shift
	check "$name: sees a planted $*" found "$@"
	check "$name: calls, and values in every register" clean ./calls
	check "$name: threads and handlers" exact
	check "$name: moncontrol and _mcleanup at once, in handlers too" clean ./threads x
	check "$name: fork" clean ./fork
	check "$name: _mcleanup and monstartup again" clean ./again
	check "$name: shared objects" objects
}

needs_to_run ASan
detector=$steady
undefined="-fsanitize=address,undefined -fno-sanitize-recover=all"
# shellcheck disable=SC2086 # a list of words
check "the library with ASan and UBSan" library asan $undefined
# shellcheck disable=SC2086 # a list of words
check "programs with ASan and UBSan" programs "$work/asan" $undefined
all "ASan, UBSan" beyond overflow
needs_to_run TSan
check "the library with TSan" library tsan -fsanitize=thread
check "programs with TSan" programs "$work/tsan" -fsanitize=thread
all TSan race
check "TSan: the insides" unit -fsanitize=thread
needs_to_run valgrind
check "programs for valgrind" programs "$PROFIL_LIB_DIR"
# valgrind takes a signal for a thread that sleeps, and lets others run before it
# looks at its action: the library may just have put back the one from before.
trap '' PROF
detector="valgrind -q --error-exitcode=99"
all valgrind beyond
check "valgrind: the insides" unit
finish
