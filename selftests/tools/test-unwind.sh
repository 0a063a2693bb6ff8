#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Call paths by the tables that profil compiles, walked by the kernel's own step,
# against elfutils at each instruction of programs with every shape of stack.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# with_unwind NAME SOURCE FLAG...: a test program that has profil's compiler of
# tables.
with_unwind() {
	with_name=$1
	with_source=$2
	shift 2
	with_objects=
	for with_file in cfa cfa_code cfa_rule cgroup debug debugdata demangle ehframe \
			elffile fetch gonames gopclntab hash image jit jit_dump \
			jit_map maps more object observe paths \
			near plt process process_jit settle symbol symbols tables text unwind \
			util; do
		with_objects="$with_objects $tools/$with_file.o"
	done
	# shellcheck disable=SC2086 # names of files
	gcc -D_GNU_SOURCE -std=gnu11 -O1 -g -Wall -Wextra -Werror \
		-I"$tree/uapi" -I"$tree/tools/profil" -I"$tree/tools/prof" \
		-I"$tree/module" -o "$with_name" "$here/prog/$with_source" "$@" \
		$with_objects -ldw -lelf -llzma -lz -liberty
}
with_unwind steps steps.c
with_unwind rules rules.c
with_unwind marks marks.c
with_unwind giving giving.c -Wl,--wrap=observe_give_maps

all=0

# walked PROGRAM: by no step differs; at most 1 in 200 paths ends early, not
# counting those that end in the loader's call of a function for the first time.
walked() {
	[ "$(uname -m)" = x86_64 ] || return 0
	timeout 100 ./steps "$@" >steps.out || {
		cat steps.out
		return 1
	}
	cat steps.out
	awk '/ steps, / { steps = $1; differ = $3; whole = $5 }
	     /^# end 6 in .*\/ld-linux/ { whole += $NF }
	     END { exit !(steps > 1000 && !differ &&
			  whole >= 0.995 * steps) }' steps.out || return 1
	all=$((all + $(sed -n 's/ steps, .*//p' steps.out)))
}

stack() {
	"${compiler:-gcc}" -o stack "$@" "$here/prog/stack.c" &&
		LD_BIND_NOW=1 walked ./stack
}

lazy() {
	gcc -O2 -Wl,-z,lazy -o stack "$here/prog/stack.c" && walked ./stack
}

thrown() {
	g++ -O2 -o thrown "$here/prog/stack_throw.cc" &&
		LD_BIND_NOW=1 walked ./thrown
}

debug_frame() {
	stack -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables &&
		readelf -S stack | grep -q '\.debug_frame'
}

# ruled ROWS ARG...: so many at least, and of 1,000 only $without have no rule.
without=1
ruled() {
	ruled_least=$1
	shift
	./rules "$@" >rules.out || {
		cat rules.out
		return 1
	}
	cat rules.out
	awk -v least="$ruled_least" -v without="$without" \
		'/ rows, [0-9]* differ/ {
			exit !($1 >= least && 1000 * $5 <= without * $1)
		}' rules.out
}

system_rules() {
	gcc -O2 -o stack "$here/prog/stack.c" || return 1
	ruled 20000 stack "$(ldd /bin/sh | awk '$1 ~ /^libc\.so/ { print $3 }')" \
		"$(command -v gdb || command -v gawk || command -v awk)"
}

# 3 bytes a row, 4 a chunk of 256 bytes, and few rules.
large_table_is_small() {
	cc1=$(gcc -print-prog-name=cc1)
	ruled 100000 "$cc1" || return 1
	awk -v most=4.1 '$4 == "rows," { print $5 / $3
					 exit !($5 <= most * $3) }' rules.out
}

arm64_rules() {
	clang --target=aarch64-linux-gnu -O2 -fPIC "$@" \
		-fasynchronous-unwind-tables -c -o arm64.o \
		"$here/prog/arm64.c" &&
		aarch64-linux-gnu-ld -shared -o arm64.so arm64.o &&
		ruled 5 arm64.so
}

arm64_signed() {
	arm64_rules -mbranch-protection=standard
}

# Hand-written text as well.
arm64_libc() {
	without=10 ruled 5000 "$arm64_libc"
}

# Of the byte before a trampoline, of it, and of what is behind.
arm64_trampoline() {
	clang --target=aarch64-linux-gnu -fPIC -c -o arm64.o \
		"$here/prog/arm64_signal.c" &&
		aarch64-linux-gnu-ld -shared -o arm64.so arm64.o || return 1
	at=0x$(nm arm64.so | awk '$3 == "trampoline" { print $1 }')
	./marks arm64.so $((at - 5)) $((at - 1)) $((at)) $((at + 7)) \
		$((at + 8)) >marked
	cat marked
	[ "$(tr '\n' ' ' <marked)" = "1 6 6 6 0 " ]
}

arm64_libc=/usr/aarch64-linux-gnu/lib/libc.so.6
# Each of 20,000 functions runs a MiB of its common entry.
hostile_frames() {
	[ "$(uname -m)" = x86_64 ] || return 0
	cat >long.s <<-'END'
		.text
		code: .skip 320000
		.section .eh_frame, "a", @unwind
		common: .long end - begin
		begin: .long 0
		.byte 1
		.asciz "zR"
		.byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8
		.rept 524288
		.byte 0x90, 1
		.endr
		.balign 8
		end:
		.set at, 0
		.rept 20000
		.long 20
		.long . - common
		.long code + at - .
		.long 16
		.byte 0
		.skip 7
		.set at, at + 16
		.endr
	END
	gcc -shared -nostdlib -o long.so long.s &&
		at=$(nm long.so | awk '$3 == "code" { print "0x" $1 }') &&
		timeout 60 ./marks long.so "$at" "$((at + 319999))" >kinds || return 1
	cat kinds
	# The first has its rule, and the last came too late.
	[ "$(head -n 1 kinds)" != 0 ] && [ "$(tail -n 1 kinds)" = 0 ]
}

closed_memory() {
	./giving 127 >given
	cat given
	diff - given <<-'END'
	image 7, 1 maps: my memory
	wants no more
	END
}

untold_end() {
	./giving end >given
	cat given
	diff - given <<-'END'
	runs
	has ended
	END
}

without_paths() {
	[ "$(./giving 1)" = "wants no more" ]
}

check "rules_of_system_are_as_elfutils" system_rules
check "rules_of_compiler_take_4_bytes_a_row" large_table_is_small
if command -v clang >/dev/null && command -v aarch64-linux-gnu-ld >/dev/null; then
	check "rules_of_arm64_are_as_elfutils" arm64_rules
	check "rules_of_arm64_signed_are_as_elfutils" arm64_signed
	check "rules_of_arm64_trampoline_are_of_a_signal" arm64_trampoline
else
	skip "rules_of_arm64_are_as_elfutils" "there is no linker for arm64"
	skip "rules_of_arm64_signed_are_as_elfutils" "there is no linker for arm64"
	skip "rules_of_arm64_trampoline_are_of_a_signal" "there is no linker for arm64"
fi
if [ -e "$arm64_libc" ]; then
	check "rules_of_arm64_libc_are_as_elfutils" arm64_libc
else
	skip "rules_of_arm64_libc_are_as_elfutils" "there is no libc of arm64"
fi
check "steps_optimized_walk_as_elfutils" stack -O2
check "steps_plain_walk_as_elfutils" stack -O0
check "steps_frame_pointer_walk_as_elfutils" stack -O2 -fno-omit-frame-pointer
check "steps_static_walk_as_elfutils" stack -O2 -static
check "steps_lazy_binding_walk_as_elfutils" lazy
check "steps_exceptions_walk_as_elfutils" thrown
check "steps_debug_frame_walk_as_elfutils" debug_frame
if command -v clang >/dev/null; then
	compiler=clang
	check "steps_clang_walk_as_elfutils" stack -O2
	compiler=
else
	skip "steps_clang_walk_as_elfutils" "there is no clang"
fi
echo "# $all steps"
check "rules_of_hostile_object_end_in_time" hostile_frames
check "maps_of_closed_memory_are_given" closed_memory
check "maps_are_not_wanted_without_paths" without_paths
check "process_whose_end_was_not_told_has_ended" untold_end
finish
