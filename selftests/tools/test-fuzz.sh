#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The readers of profil on damaged files, built with the sanitizers: profiles
# for FUZZ_SECONDS (10), and objects whose DWARF is damaged.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=0
export ASAN_OPTIONS

profiles() {
	small
	paths paths.pb.gz
	python3 "$here/prog/foreign.py" 1200 | gzip >foreign.pb.gz
	hot_profile
	# shellcheck disable=SC2086 # words
	with_model fuzz fuzz.c $sanitize "$tree/tools/profil/calls.c" \
		"$tree/tools/profil/edges.c" "$tree/tools/profil/frames.c" \
		"$tree/tools/profil/head.c" "$tree/tools/profil/hints.c" "$tree/tools/profil/named.c" \
		"$tree/tools/profil/owner.c" "$tree/tools/profil/rows.c" \
		"$tree/tools/profil/rows_out.c" \
		"$tree/tools/profil/tree.c" || return 1
	./fuzz "${FUZZ_SECONDS:-10}" "${FUZZ_SEED:-1}" profil.pb.gz hot.pb.gz \
		paths.pb.gz foreign.pb.gz
}

# Every byte of the file that is compressed, too.
packed() {
	small
	size=$(stat -c %s profil.pb.gz)
	at=0
	while [ "$at" -lt "$size" ]; do
		cp profil.pb.gz bad.pb.gz
		printf '\377' | dd of=bad.pb.gz bs=1 seek="$at" conv=notrunc \
			2>/dev/null
		status=0
		"$asan" report -n 3 -i bad.pb.gz >/dev/null 2>errors || status=$?
		[ "$status" = 0 ] || { [ "$status" = 2 ] &&
			[ "$(wc -l <errors)" = 1 ]; } || {
			echo "byte $at: status $status"
			cat errors
			return 1
		}
		at=$((at + 7))
	done
}

# 400,000 functions that share a list of 50,000 ranges.
ranges() {
	[ "$(uname -m)" = x86_64 ] || return 0
	cat >ranges.s <<-'END'
		.section .debug_abbrev, "", @progbits
		.byte 1, 0x11, 1, 0, 0
		.byte 2, 0x2e, 0, 0x55, 0x17, 0, 0, 0
		.section .debug_info, "", @progbits
		.long end - begin
		begin: .value 4
		.long 0
		.byte 8, 1
		.rept 400000
		.byte 2
		.long 0
		.endr
		.byte 0
		end:
		.section .debug_ranges, "", @progbits
		.rept 50000
		.quad 1, 2
		.endr
		.quad 0, 0
	END
	gcc -c -o ranges.o ranges.s && hot_profile -g0 ranges.o || return 1
	timeout 60 "$profil" report -i hot.pb.gz | grep ' outer$'
}

# A unit that has the same 40 pcs in 300 ranges.
overlapping() {
	[ "$(uname -m)" = x86_64 ] || return 0
	cat >overlap.s <<-'END'
		.section .behind_text, "ax", @progbits
		.globl work
		.type work, @function
		work: .fill 40, 1, 0x90
		work_end:
		.size work, . - work
		.section .debug_abbrev, "", @progbits
		.byte 1, 0x11, 0, 0x55, 0x17, 0x11, 0x01, 0, 0, 0
		.section .debug_info, "", @progbits
		.long end - begin
		begin: .value 4
		.long 0
		.byte 8, 1
		.long 0
		.quad 0
		end:
		.section .debug_ranges, "", @progbits
		.rept 300
		.quad work, work_end
		.endr
		.quad 0, 0
	END
	gcc -c -o overlap.o overlap.s && hot_profile -g0 overlap.o || return 1
	at=$(nm hot | awk '$3 == "work" { print "0x" $1 }')
	{
		printf 'rate|1\nmap|%s|%s|0|0x100000|0\n' "$work/hot" "$id"
		seq "$((at))" "$((at + 39))" | sed 's/.*/sample|1|1:&:work/'
	} | fixture_of overlap.pb.gz
	calls_of dwarf_getsrc_die report -i overlap.pb.gz && [ "$calls" = 40 ]
}

# A path of 10,000 frames and what else other tools write, in every view.
views() {
	python3 "$here/prog/foreign.py" | gzip >foreign.pb.gz
	chmod 600 foreign.pb.gz
	for how in "html -o -" report "report --tree --limit 0" \
			"report --callers ping" "report --callees deep_9999" \
			"report --by line" "annotate ping" "annotate prog:ping"; do
		status=0
		# shellcheck disable=SC2086 # words
		"$asan" $how -i foreign.pb.gz >/dev/null 2>errors || status=$?
		[ "$status" -le 2 ] && ! grep Sanitizer errors && continue
		cat errors
		return 1
	done
}

# Bytes of each section of DWARF, changed in the object that ran.
objects() {
	hot_profile "$@" || return 1
	cp hot whole
	readelf -SW hot | sed 's/\[ */[/' |
		awk '$2 ~ /^\.debug/ { print $2, $5, $6 }' >sections
	[ -s sections ] || return 1
	nr=0
	while read -r name offset size; do
		try=0
		while [ "$try" -lt 12 ]; do
			try=$((try + 1))
			cp whole hot
			python3 - "$((0x$offset))" "$((0x$size))" "$try" <<-'END'
			import random, sys
			offset, size, seed = map(int, sys.argv[1:])
			random.seed(seed * 7919 + offset)
			with open("hot", "r+b") as f:
			    for i in range(1 + seed % 4):
			        f.seek(offset + random.randrange(size))
			        f.write(bytes([random.choice([0, 1, 127, 128, 255])]))
			END
			status=0
			timeout 30 "$asan" report --by line -i hot.pb.gz \
				>/dev/null 2>errors || status=$?
			if [ "$status" -ne 0 ]; then
				echo "$name, try $try: status $status"
				cat errors
				return 1
			fi
			nr=$((nr + 1))
		done
	done <sections
	echo "$nr objects"
}

if runs ASan; then
	make -s -C "$tree/tools/profil" O="$work/asan" CC=gcc \
		CFLAGS="-O1 -g $sanitize" all >&2
	asan=$work/asan/profil
	check "fuzz_profiles_no_crash_and_read_again" profiles
	check "fuzz_compressed_bytes_status_0_or_2" packed
	check "foreign_deep_path_every_view_ends_well" views
	check "fuzz_dwarf5_report_ends_well" objects
	check "fuzz_dwarf4_report_ends_well" objects -gdwarf-4
else
	skip "fuzz_readers" "$why"
fi
check "fuzz_ranges_that_multiply_end_in_time" ranges
check "fuzz_ranges_that_overlap_place_once" overlapping
finish
