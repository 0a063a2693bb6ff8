#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# jitdump files: which function was where, at what time; and hostile files.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
progs=$tree/selftests/tools/prog

# dump [HEAD]: a file of the lines of standard input.
dump() {
	{ echo "head ${1:-0x4a695444 1 40 0}"; cat; } |
		python3 "$progs/jitdump.py" >dump
}

# at SINCE UNTIL ADDRESS WANTED
at() {
	./jit_dump dump "$1" "$2" "$3" >said
	echo "$1 $2 $3: $(cat said)"
	[ "$(cat said)" = "$4" ]
}

# Two at one address one after the other, one that lies over its end.
reused() {
	dump <<-'END'
		load 100 0x1000 0x40 first 1
		load 200 0x1000 0x20 second 2
		load 300 0x1010 0x40 third 3
		load 900 0x9000 0x10 last 4
	END
	at 100 199 1000 first && at 200 299 1000 second &&
		at 150 250 1000 "[jit: two functions]" &&
		at 300 350 1010 third && at 300 350 1008 second &&
		at 0 99 1000 nothing && at 0 150 1000 first &&
		at 100 199 1040 nothing && at 120 180 103f first
}

# The file may be behind what ran.
late() {
	dump <<-'END'
		load 100 0x1000 0x40 first 1
	END
	at 100 150 1000 "first late" && at 50 99 1000 nothing &&
		at 0 100 1000 "first late"
}

moved() {
	dump <<-'END'
		load 100 0x1000 0x40 first 1
		load 110 0x3000 0x40 other 2
		move 200 0x1000 0x2000 0x40 1
		load 300 0x1000 0x40 new 3
		move 400 0x2000 0x5000 0x40 1
		move 410 0x7000 0x8000 0x40 77
		load 900 0x9000 0x10 last 4
	END
	at 100 150 2000 nothing && at 200 250 2000 first &&
		at 300 350 1000 new && at 400 450 5000 first &&
		at 400 450 3000 other && at 450 500 8000 nothing
}

# The same function, compiled again to its place.
same_name() {
	dump <<-'END'
		load 100 0x1000 0x40 same 1
		load 200 0x1000 0x40 same 2
		load 900 0x9000 0x10 last 4
	END
	at 150 250 1000 same
}

# What profil does not need is passed over.
other_records() {
	dump "0x4a695444 1 64 0" <<-'END'
		other 50 2 100
		load 100 0x1000 0x40 first 1
		other 110 4 33
		other 120 77 0
		load 200 0x2000 0x40 second 2
		other 900 3 0
	END
	at 200 300 1000 first && at 200 300 2000 second
}

# Times of another clock say nothing: those of the reading do.
other_clock() {
	dump "0x4a695444 1 40 1" <<-'END'
		load 5 0x1000 0x40 first 1
		load 6 0x2000 0x40 second 2
	END
	at 900 950 1000 first && at 900 950 7000 "nothing late"
}

hostile() {
	echo 'load 100 0x1000 0x40 first 1' | dump "0x4a695445 1 40 0" &&
		at 100 150 1000 nothing || return 1
	echo 'load 100 0x1000 0x40 first 1' | dump "0x4a695444 2 40 0" &&
		at 100 150 1000 nothing || return 1
	echo 'load 100 0x1000 0x40 first 1' | dump "0x4a695444 1 8 0" &&
		at 100 150 1000 nothing || return 1
	for size in 0 15 0xffffffff 0x7fffffff 17; do
		dump <<-END
			load 100 0x1000 0x40 first 1
			size 150 $size
			load 200 0x1000 0x40 second 1
		END
		./jit_dump dump 100 120 1000 >said
		cat said
		grep -q first said || return 1
	done
	for cut in 0 1 39 40 50 60 100 101; do
		{ echo 'load 100 0x1000 0x40 first 1'; echo "cut $cut"; } | dump
		./jit_dump dump 100 120 1000 >said
		grep -q nothing said || return 1
	done
	printf 'load 100 0x%x 0x%x first 1\nload 900 0 0 last 2\n' -16 -1 | dump
	at 100 120 fffffffffffffff8 first && at 100 120 8 nothing
}

fuzzed() {
	dump <<-'END'
		load 100 0x1000 0x40 first 1
		load 200 0x1000 0x80 second 2
		move 300 0x1000 0x2000 0x40 1
		other 320 2 100
		load 400 0x1040 0x40 third 3
		move 500 0x2000 0x1080 0x40 1
		load 600 0x1020 0x1000 a_longer_name_of_a_function 4
		load 900 0x9000 0x10 last 5
	END
	./jit_dump dump 20000
}

gcc -D_GNU_SOURCE -std=gnu11 -O1 -g -Wall -Wextra -Werror \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-I"$tree/tools/profil" -I"$tree/uapi" -o jit_dump "$progs/jit_dump.c" \
	"$tree/tools/profil/jit.c" "$tree/tools/profil/jit_dump.c" \
	"$tree/tools/profil/hash.c" "$tree/tools/profil/text.c" \
	"$tree/tools/profil/util.c"
check "jitdump_reused_address_named_as_of_the_time" reused
check "jitdump_that_is_behind_says_so" late
check "jitdump_moved_code_keeps_its_name" moved
check "jitdump_same_name_again_is_one_function" same_name
check "jitdump_other_records_are_passed_over" other_records
check "jitdump_other_clock_counts_by_its_reading" other_clock
check "jitdump_wrong_heads_sizes_and_ends" hostile
if runs ASan; then
	check "jitdump_20000_damaged_files" fuzzed
else
	skip "jitdump_20000_damaged_files" "$why"
fi
finish
