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
	for with_file in bare bare_code cfa cfa_code cfa_rule cgroup debug debugdata demangle ehframe \
			elffile fetch gonames gopclntab hash image insn jit jit_dump \
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
with_unwind steps steps.c "$here"/prog/steps_walk.c "$here"/prog/steps_compare.c \
	"$here"/prog/steps_judge.c
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

# at_each FILE FUNCTION...: the rule at each of its instructions.
at_each() {
	at_file=$1
	shift
	for at_function; do
		echo "$at_function"
		objdump -d --no-show-raw-insn --disassemble="$at_function" "$at_file" |
			sed -n 's/^ *\([0-9a-f]*\):\t\(.*\)/\1 \2/p' >insns
		[ -s insns ] || return 1
		# shellcheck disable=SC2046 # numbers
		./marks "$at_file" $(sed 's/ .*//; s/^/+0x/' insns) |
			paste -d ' ' - insns
	done
}

# What the compiler says of them is the judge: the same without its entries.
bare_functions() {
	[ "$(uname -m)" = x86_64 ] || return 0
	cat >bare.c <<-'END'
		extern long other(long *numbers, long n);
		long leaf(long a) { return a > 3 ? a + 5 : a - 7; }
		long calls(long a)
		{
			long numbers[3] = { a, a + 1, a + 2 };
			return a ? other(numbers, a) + a : leaf(a);
		}
		long saves(long a, long b, long c)
		{
			return other(0, a) + b - other(0, b) + c + other(0, a + c);
		}
		long ends(long *numbers) { return other(numbers, 2); }
	END
	printf 'int anchor(int a) { return a + 1; }\n' >anchor.c
	gcc -O2 -fPIC -c anchor.c || return 1
	flags="-O2 -fPIC -fno-reorder-blocks-and-partition -fcf-protection=none"
	# shellcheck disable=SC2086 # a list of words
	gcc $flags -c -o with.o bare.c &&
		gcc $flags -fno-asynchronous-unwind-tables -c -o without.o bare.c &&
		gcc -shared -o with.so anchor.o with.o &&
		gcc -shared -o without.so anchor.o without.o || return 1
	for so in with without; do
		at_each $so.so leaf calls saves ends |
			sed 's/ bp \(-\?[0-9]*\) [0-9a-f]* / bp \1 /
				s/[0-9a-f]* <.*//' | grep -v ' nop' >$so
		# Behind its "pop" the compiler has rbp below sp still.
		sed '/ call/!s/ bp -\?[0-9]*//' $so >$so.cfa
	done
	cat without
	! grep '^0' without && [ "$(grep -c '^1 cfa .* call' without)" = 5 ] &&
		diff with.cfa without.cfa
}

# What gcc and the C library put into each library.
bare_crt() {
	[ "$(uname -m)" = x86_64 ] || return 0
	gcc -O2 -fPIC -shared -o anchor.so anchor.c &&
		at_each anchor.so _init _fini deregister_tm_clones \
			register_tm_clones __do_global_dtors_aux frame_dummy >rules
	cat rules
	awk '/^_/ || !/ / { next }
	     /\<(nop|nopw|nopl|xchg|cs)\>/ { next }
	     { all++ }
	     !/^1 cfa/ { print "none: " $0; bad++ }
	     /ret|jmp/ && !/^1 cfa 8 bp 0/ { print "ends: " $0; bad++ }
	     /call.*__cxa_finalize/ && /^1 cfa 16 bp -16/ { calls++ }
	     END { exit !(all > 40 && calls == 1 && !bad) }' rules
}

# musl calls main() and gives exit() what it returns; others call exit() too.
bare_start() {
	[ "$(uname -m)" = x86_64 ] || return 0
	printf '\t%s\n' .text '.globl exit' '.type exit, @function' \
		'start: push %rbx' 'call *%rbx' 'returns: mov %eax, %edi' \
		'call exit' 'other: call *%rbx' 'other_returns: mov %eax, %edi' \
		'call other' 'exit: hlt' '.size exit, 1' >start.s
	gcc -Wa,--noexecstack -c start.s &&
		gcc -shared -Wl,-Bsymbolic -o start.so anchor.o start.o || return 1
	for label in returns other_returns; do
		at=0x$(nm start.so | awk -v name=$label '$3 == name { print $1 }')
		./marks start.so $((at - 1)) || return 1
	done >kinds
	cat kinds
	[ "$(tr '\n' ' ' <kinds)" = "7 0 " ]
}

# Its names are not known, so that where a stack begins is not either.
bare_go_unknown() {
	echo note >note
	objcopy --add-section .gopclntab=note anchor.so go.so &&
		./marks anchor.so 0x1000 && ! ./marks go.so 0x1000
}

# With C in it, and without: at a function, and where its stacks begin.
bare_go() {
	for cgo in 0 1; do
		GOCACHE=$work/cache GO111MODULE=off GOFLAGS='' CGO_ENABLED=$cgo \
			go build -o go-$cgo "$here/prog/work.go" &&
			for name in main.fib runtime.goexit runtime.mstart; do
				nm go-$cgo | awk -v name=$name \
					'sub(/\.abi0$/, "", $3) + 1 && $3 == name {
						print "0x" $1; exit }'
			done >places || return 1
		strip -o stripped go-$cgo
		# shellcheck disable=SC2046 # numbers
		./marks stripped $(cat places) >kinds || return 1
		cat kinds
		[ "$(tr '\n' ' ' <kinds)" = "2 7 7 " ] || return 1
	done
}

# Ways that meet with two stacks, a pop too much, and an instruction unknown.
bare_refused() {
	[ "$(uname -m)" = x86_64 ] || return 0
	cat >refused.s <<-'END'
		.text
		.globl meets, leaves, pops, traps, moves, good
		.type good, @function
		.type meets, @function
		.type pops, @function
		.type traps, @function
		.type moves, @function
		.type leaves, @function
	END
	for name in meets leaves pops traps moves; do
		case $name in
		meets) body='test %eax,%eax; je 1f; push %rbx; 1: pop %rbx; ret' ;;
		leaves) body='push %rbx; ret' ;;
		pops) body='pop %rbx; pop %rcx; ret' ;;
		traps) body='push %rbx; cpuid; pop %rbx; ret' ;;
		moves) body='push %rbx; mov %rdi,%rsp; pop %rbx; ret' ;;
		esac
		{
			cat refused.s
			printf '\t.p2align 4\ngood:\tpush %%rbx\n\tpop %%rbx\n\tret\n'
			printf '\t.p2align 4\n%s:\t%s\n.size %s, .-%s\n' \
				$name "$body" $name $name
			printf '.size good, 3\n'
		} >$name.s
		gcc -Wa,--noexecstack -c $name.s && gcc -shared -o $name.so anchor.o $name.o &&
			at_each $name.so good $name >rules || return 1
		cat rules
		[ "$(grep -c '^1 cfa' rules)" = 3 ] || return 1
	done
}

bare_fuzzed() {
	gcc -D_GNU_SOURCE -std=gnu11 -O1 -g -Wall -Wextra -Werror \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		-I"$tree/uapi" -I"$tree/tools/profil" -I"$tree/tools/prof" \
		-o bare_fuzz "$here/prog/bare_fuzz.c" \
		"$tree/tools/profil/bare_code.c" "$tree/tools/profil/insn.c" || return 1
	objcopy -O binary --only-section=.text \
		"$(ldd /bin/sh | awk '$1 ~ /^libc\.so/ { print $3 }')" text &&
		ASAN_OPTIONS=detect_leaks=0 timeout 300 ./bare_fuzz text 300000
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
check "rules_of_bare_functions_are_as_with_entries" bare_functions
check "rules_of_what_gcc_adds_to_each_library" bare_crt
check "rules_are_not_made_of_unknown_code" bare_refused
check "rules_end_where_musl_calls_main" bare_start
check "rules_are_not_of_go_without_names" bare_go_unknown
if command -v go >/dev/null; then
	check "rules_of_go_are_frame_pointers" bare_go
else
	skip "rules_of_go_are_frame_pointers" "there is no go"
fi
check "rules_of_damaged_code_stay_within_it" bare_fuzzed
check "maps_of_closed_memory_are_given" closed_memory
check "maps_are_not_wanted_without_paths" without_paths
check "process_whose_end_was_not_told_has_ended" untold_end
finish
