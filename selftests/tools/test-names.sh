#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The names of functions, from ELF files (damaged ones too) and JIT maps.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/names.sh"

damaged() {
	./fuzz_elf "$1" 5000 ${2:+"$2"}
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

# Of each kind of object, because profil top reads names again and again.
nothing_left() {
	for file in full.so plugin.so mini.so user mangled; do
		ASAN_OPTIONS=detect_leaks=1 ./checked "$file" || return 1
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

# Its debug file, which bears the name and the checksum that it tells.
debuglink() {
	at=$(address_of full.so hidden_burn)
	objcopy --only-keep-debug full.so linked.debug &&
		objcopy --strip-all --remove-section=.note.gnu.build-id \
			--add-gnu-debuglink=linked.debug full.so linked.so &&
		named "$work/linked.so" "$at" hidden_burn || return 1
	mkdir -p .debug && mv linked.debug .debug &&
		named "$work/linked.so" "$at" hidden_burn || return 1
	# Another file of that name.
	printf x >>.debug/linked.debug
	named "$work/linked.so" "$at" "linked.so+0x$at"
}

# A link may not lead to another directory.
debuglink_out() {
	at=$(address_of full.so hidden_burn)
	mkdir -p below && objcopy --only-keep-debug full.so x/linked.debug &&
		objcopy --strip-all --remove-section=.note.gnu.build-id \
			--add-gnu-debuglink=x/linked.debug full.so out.so ||
		return 1
	cp x/linked.debug inked.debug
	python3 - <<-'END'
	data = open("out.so", "rb").read()
	assert data.count(b"linked.debug\0") == 1
	open("below/out.so", "wb").write(
	    data.replace(b"linked.debug\0", b"../inked.deb\0"))
	END
	mv inked.debug inked.deb
	named "$work/below/out.so" "$at" "out.so+0x$at"
}

# Another file's build id says more than the name.
debuglink_of_other() {
	at=$(address_of full.so hidden_burn)
	objcopy --only-keep-debug evil.so evil.debug &&
		objcopy --strip-all --add-gnu-debuglink=evil.debug full.so \
			other.so &&
		named "$work/other.so" "$at" "other.so+0x$at"
}

mini() {
	at=$(address_of full.so hidden_burn)
	objcopy --only-keep-debug --strip-symbol=plugin_burn full.so mini &&
		xz -kf mini && objcopy --add-section .gnu_debugdata=mini.xz \
		plugin.so mini.so || return 1
	named mini.so "$at" hidden_burn &&
		named mini.so "$(address_of full.so plugin_burn)" plugin_burn
}

# 1 GiB of zeros in 150 KB.
mini_bomb() {
	at=$(address_of full.so hidden_burn)
	head -c 1G /dev/zero | xz -0 >bomb.xz &&
		objcopy --add-section .gnu_debugdata=bomb.xz plugin.so bomb.so ||
		return 1
	# shellcheck disable=SC3045 # dash and bash have both
	(ulimit -v 400000 && named bomb.so "$at" "bomb.so+0x$at")
}

versions() {
	cat >versions.c <<-'END'
	__asm__(".symver old_free, cfree@OLD");
	void *sink;
	void free_it(void *p) { sink = p; }
	void old_free(void *p) __attribute__((alias("free_it")));
	__asm__(".symver new_one, only_old@OLD");
	void new_one(void *p) { sink = (char *)p + 1; }
	END
	echo 'OLD { global: cfree; only_old; local: old_free; new_one; };
		NEW { global: free_it; } OLD;' >versions.map
	gcc -O1 -shared -fPIC -Wl,--version-script=versions.map -o versions.so \
		versions.c && objcopy --discard-all versions.so || return 1
	at=$(nm versions.so | awk '$3 == "only_old@OLD" { print $1 }')
	[ -n "$at" ] && named versions.so "$at" only_old &&
		named versions.so "$(nm versions.so |
			awk '$3 ~ /^free_it/ { print $1 }')" free_it
}

# The file is gone; what is mapped has the exported names, and bounds.
mapped() {
	hidden=$(address_of full.so hidden_burn)
	./mapped "$work/$1" "$(address_of full.so plugin_burn)" "$hidden" \
		>said || return 1
	cat said
	id=$(readelf -n "$1" | sed -n 's/ *Build ID: //p')
	[ "$(tr '\n' ' ' <said)" = \
		"$id plugin_burn plugin.so+0x$hidden " ]
}

# made WANTED ARGUMENT...: what jit_names prints, in one line.
made() {
	made_wanted=$1
	shift
	./jit_names $$ "$@" >said
	cat said
	[ "$(tr '\n' ' ' <said)" = "$made_wanted " ]
}

# libc, libelf and libdw are stripped, and the program near is not.
few() {
	for file in $(ldd near | grep -o '/[^ ]*lib\(c\|elf\|dw\)[.-][^ ]*') \
			"$work/near"; do
		echo "$file"
		./near "$file" 300 || return 1
	done >said
	cat said
	[ "$(wc -l <said)" -eq 4 ]
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

# A program writes its map in blocks.
half_a_line() {
	made "a nothing whole" '1000 10 a' 1000 '2000 10 wh+' 2000 'ole' 2000
}

build full.so plugin.c -DPLUGIN -shared -fPIC -fno-toplevel-reorder
strip -o plugin.so full.so
build full-bare.so plugin.c -DPLUGIN -shared -fPIC -fno-toplevel-reorder \
	-fno-asynchronous-unwind-tables
strip -o bare.so full-bare.so
build evil.so plugin.c -DPLUGIN -shared -fPIC -Dhidden_burn=evil_burn
build user plugin.c -Wl,--no-as-needed -ldl
build shares shares.c
printf 'namespace outer { int inner(int i) { return i; } }\nint main() { return outer::inner(0); }\n' \
	>mangled.cc
g++ -O0 -o mangled mangled.cc
with_names names names.c
with_names mapped mapped.c -ldl
with_names near near.c -fsanitize=address
with_names ended ended.c -fsanitize=address
gcc -D_GNU_SOURCE -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -Werror \
	-fsanitize=address -I"$tree/tools/profil" -I"$tree/uapi" -o kept_names \
	"$progs/kept_names.c" "$tree/tools/profil/known.c" \
	"$tree/tools/profil/text.c" "$tree/tools/profil/util.c"
with_names jit_names jit_names.c "$tree/tools/profil/jit.c" \
	"$tree/tools/profil/hash.c" "$tree/tools/profil/jit_map.c" \
	-fsanitize=address,undefined -fno-sanitize-recover=all
with_names checked names.c -fsanitize=address
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
mkdir x
check "names_debuglink_by_checksum_only" debuglink
check "names_debuglink_leads_nowhere_else" debuglink_out
check "names_debuglink_of_other_is_refused" debuglink_of_other
check "names_debugdata_names_what_is_local" mini
check "names_debugdata_bomb_is_not_unpacked" mini_bomb
check "names_version_is_not_shown" versions
check "names_file_gone_mapping_has_exports" mapped plugin.so
check "names_of_few_addresses_are_those_of_all" few
check "names_process_that_ends_hides_no_file" ./ended
check "names_that_top_keeps_are_those_used_last" ./kept_names
check "names_that_are_freed_leave_nothing" nothing_left
check "names: made functions, by their bounds" made "a b nothing" \
	'1000 10 a' '1010 10 b' 100f 1010 1020
check "names: one that took another's place meanwhile" \
	made "a [jit: two functions] b" '1000 10 a' 1000 '1000 10 b' 1000 1000
check "names: lines that are no map" made "nothing a" 'x y z' 0 \
	'ffffffffffffffff 10 b' '1000 8000000000000000 a' 1000
check "names: a link is no map" not_own_map
check "names_half_a_line_waits_for_its_rest" half_a_line
check "names: 5,000 damaged programs" damaged shares
check "names: 5,000 damaged libraries" damaged plugin.so
check "names: 5,000 damaged files with .gnu_debugdata" damaged mini.so
check "names: 5,000 damaged mappings" damaged plugin.so mapped
finish
