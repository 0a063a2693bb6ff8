#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The names of functions, from ELF files (damaged ones too) and JIT maps.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
progs=$tree/selftests/tools/prog

# with_names NAME SOURCE FLAG...: a test program that reads names as profil does.
with_names() {
	names_name=$1
	names_source=$2
	shift 2
	names_files=
	for file in elffile more object symbols text util; do
		names_files="$names_files $tree/tools/profil/$file.c"
	done
	for file in demangle ehframe plt settle symbol; do
		names_files="$names_files $tree/tools/prof/$file.c"
	done
	# shellcheck disable=SC2086 # names of files
	gcc -D_GNU_SOURCE -std=gnu11 -O1 -g -Wall -Wextra -Wno-clobbered \
		-Werror -I"$tree/tools/profil" -I"$tree/tools/prof" \
		-o "$names_name" "$progs/$names_source" $names_files "$@" \
		-lelf -ldw -liberty
}

damaged() {
	./fuzz_elf "$1" 5000
}

# named FILE ADDRESS NAME
named() {
	./names "$1" "0x$2" >said
	cat said
	[ "$(cat said)" = "$3" ]
}

address_of() {
	nm "$1" | awk -v name="$2" '$3 == name { sub(/^0*/, "", $1)
						 print $1 }'
}

exported() {
	named plugin.so "$(address_of full.so plugin_burn)" plugin_burn
}

# It begins behind an exported function, which does not reach so far.
hidden() {
	at=$(address_of full.so hidden_burn)
	named plugin.so "$at" "plugin.so+0x$at"
}

# Without unwind tables its bounds are not known.
unbounded() {
	at=$(address_of full-bare.so hidden_burn)
	unbounded=0
	./names bare.so "0x$at" >said || unbounded=$?
	cat said
	[ "$unbounded" -eq 1 ] && [ ! -s said ]
}

# Every function of a file with symbols, by its first byte.
all_named() {
	nm -n full.so | awk '$2 ~ /^[tT]$/ && $3 !~ /^_(init|fini)$/ {
		print $1, $3 }' | while read -r at name; do
		named full.so "$at" "$name" && continue
		# Another name at the same address will do.
		nm full.so | grep -qx "$at [tT] $(cat said)" || exit 1
	done
}

through_plt() {
	at=$(objdump -d user | sed -n 's/^0*\([0-9a-f]*\) <puts@plt>:/\1/p')
	[ -n "$at" ] && named user "$at" puts@plt
}

readable() {
	at=$(address_of mangled _ZN5outer5innerEi)
	named mangled "$at" "outer::inner(int)"
}

# made WANTED ARGUMENT...: what jit_names prints, in one line.
made() {
	made_wanted=$1
	shift
	./jit_names $$ "$@" >said
	cat said
	[ "$(tr '\n' ' ' <said)" = "$made_wanted " ]
}

# A map of another user's may hold any name.
not_own_map() {
	ln -s "$work/target" "/tmp/perf-$$.map" || return 1
	echo '1000 10 wrong' >target
	made nothing 1000
	not_own_map=$?
	rm -f "/tmp/perf-$$.map"
	[ $not_own_map -eq 0 ]
}

build full.so plugin.c -DPLUGIN -shared -fPIC -fno-toplevel-reorder
strip -o plugin.so full.so
build full-bare.so plugin.c -DPLUGIN -shared -fPIC -fno-toplevel-reorder \
	-fno-asynchronous-unwind-tables
strip -o bare.so full-bare.so
build user plugin.c -Wl,--no-as-needed -ldl
build shares shares.c
printf 'namespace outer { int inner(int i) { return i; } }\nint main() { return outer::inner(0); }\n' \
	>mangled.cc
g++ -O0 -o mangled mangled.cc
with_names names names.c
with_names jit_names jit_names.c "$tree/tools/profil/jit.c" \
	-fsanitize=address,undefined -fno-sanitize-recover=all
with_names fuzz_elf fuzz_elf.c -fsanitize=address,undefined \
	-fno-sanitize-recover=all
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

check "names: an exported function of a stripped library" exported
check "names: no exported name for the function behind it" hidden
check "names: none where no bounds are known" unbounded
check "names: all functions of a library with symbols" all_named
check "names: an entry of the PLT" through_plt
check "names: C++ is readable" readable
check "names: made functions, by their bounds" made "a b nothing" \
	'1000 10 a' '1010 10 b' 100f 1010 1020
check "names: one that took another's place meanwhile" \
	made "a [jit: two functions] b" '1000 10 a' 1000 '1000 10 b' 1000 1000
check "names: lines that are no map" made "nothing a" 'x y z' 0 \
	'ffffffffffffffff 10 b' '1000 8000000000000000 a' 1000
check "names: a link is no map" not_own_map
check "names: 5,000 damaged programs" damaged shares
check "names: 5,000 damaged libraries" damaged plugin.so
finish
