# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034,SC2154 # sourced after lib.sh, before tests
# Test programs that find the names of functions as profil does.

progs=$tree/selftests/tools/prog

# with_names NAME SOURCE FLAG...: a test program that reads names as profil does.
with_names() {
	names_name=$1
	names_source=$2
	shift 2
	names_files=
	for file in debug debugdata elffile fetch gonames gopclntab image \
			more near object symbols text util; do
		names_files="$names_files $tree/tools/profil/$file.c"
	done
	for file in demangle ehframe plt settle symbol; do
		names_files="$names_files $tree/tools/prof/$file.c"
	done
	# shellcheck disable=SC2086 # names of files
	gcc -D_GNU_SOURCE -std=gnu11 -O1 -g -Wall -Wextra -Wno-clobbered \
		-Werror -I"$tree/tools/profil" -I"$tree/tools/prof" \
		-o "$names_name" "$progs/$names_source" $names_files "$@" \
		-lelf -ldw -llzma -lz -liberty
}
