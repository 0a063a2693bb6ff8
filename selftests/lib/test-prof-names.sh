#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The names that prof has for addresses: without symbols, in tables of calls into
# libraries, of C++ and Rust, and hostile ones.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/tool.sh"
# shellcheck source=/dev/null
. "$here/prof.sh"

stripped() {
	make_prof counts=0:1 >mon.out
	objcopy --only-keep-debug fixed fixed.debug
	objcopy -S --add-gnu-debuglink=fixed.debug fixed linked
	strip -o naked fixed
	says 'was it stripped?' naked mon.out &&
		samples linked mon.out | grep -q '^alpha'
}

symbol_at() {
	nm "$1" | awk -v name="$2" '$3 == name { print $1 }'
}

# sampled PROGRAM OFFSET...: NAME prof has for one sample at each.
sampled_at() {
	sampled_program=$1
	shift
	for sampled_pc; do
		sampled_low=$((sampled_pc & ~15))
		make_prof hz=1 low="$(printf '0x%x' $sampled_low)" \
			high="$(printf '0x%x' $((sampled_low + 16)))" \
			word="${WORD-8}" scale=0x10000 \
			counts="$(((sampled_pc - sampled_low) / 2)):1" >at.out
		"$prof" "$sampled_program" at.out 2>errors >got || return 1
		sed '1,3d; s|^.\{49\}||' got
	done
}

# The only names left are the exported ones, and they have an end.
no_names() {
	cat >bounds.S <<-'END'
		.text
		.globl exported, sizeless
		.type exported, %function
	exported:
		.cfi_startproc
		.skip 64, 0x90
		.cfi_endproc
		.size exported, . - exported
		.type hidden, %function
	hidden:
		.cfi_startproc
		.skip 64, 0x90
		.cfi_endproc
		.size hidden, . - hidden
		.skip 64, 0x90
	sizeless:
		.skip 64, 0x90
		.section .note.GNU-stack, "", %progbits
	END
	gcc -shared -nostdlib -o bounds.so bounds.S || return 1
	start=$((0x$(symbol_at bounds.so exported)))
	strip -o bounds.stripped bounds.so
	strip -x -o bounds.x bounds.so
	sampled_at bounds.stripped $start $((start + 62)) $((start + 64)) \
		$((start + 126)) $((start + 128)) $((start + 190)) \
		$((start + 192)) >names
	printf '%s\n' exported exported "bounds.stripped+$(printf %#x \
		$((start + 64)))" "bounds.stripped+$(printf %#x \
		$((start + 64)))" "(no symbol)" "(no symbol)" "(no symbol)" |
		diff - names || return 1
	# Only local names are gone, so such a function has no name.
	sampled_at bounds.x $((start + 62)) $((start + 64)) \
		$((start + 128)) $((start + 192)) >names
	printf '%s\n' exported "bounds.x+$(printf %#x $((start + 64)))" \
		"(no symbol)" sizeless | diff - names
}

# plt_of PROGRAM [OBJDUMP]: its entries have the names that objdump has.
plt_of() {
	"${2-objdump}" -d "$1" | sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p' \
		>entries
	sed 's|.* ||' entries >wanted.plt
	# shellcheck disable=SC2046 # addresses
	sampled_at "$1" $(sed 's/\([0-9a-f]*\) .*/0x\1/' entries |
		while read -r pc; do echo $((pc + 4)); done) >names || return 1
	cat wanted.plt
	[ ! -s errors ] && [ -s names ] && diff wanted.plt names
}

# plt_linked FLAG...: exp and others, in the tables that the flags make.
plt_linked() {
	cat >plt.c <<-'END'
		#include <math.h>
		#include <stdlib.h>

		int main(int argc, char **argv)
		{
			void *(*volatile alloc)(size_t) = malloc;

			free(alloc(10));
			return argc > 1 && exp(atof(argv[1])) > 1;
		}
	END
	for flags in "-Wl,-z,lazy" "-Wl,-z,now" "-Wl,-z,lazy -no-pie" \
			"-Wl,-z,lazy -fcf-protection=none" \
			"-Wl,-z,now -fcf-protection=none"; do
		# shellcheck disable=SC2086 # lists of flags
		gcc -idirafter /usr/include/x86_64-linux-gnu -O1 $flags "$@" \
			-o plt plt.c -lm && plt_of plt &&
			grep -qx exp@plt names || return 1
		strip -o plt.stripped plt
		# shellcheck disable=SC2046 # addresses
		sampled_at plt.stripped $((0x$(sed -n 's/ exp@plt//p' \
			entries))) | grep -qx exp@plt || return 1
	done
}

# Entries for what the program itself chooses at its start.
plt_static() {
	for flags in "-static" "-static-pie"; do
		# shellcheck disable=SC2086 # lists of flags
		gcc $flags -o plt plt.c -lm || return 1
		pc=$(readelf -SW plt | sed -n \
			's/.* \.plt  *PROGBITS  *\([0-9a-f]*\) .*/0x\1/p')
		sampled_at plt $((pc + 16)) $((pc + 32)) >names || return 1
		cat names
		[ ! -s errors ] && [ "$(grep -c '^\*ABS\*+0x[0-9a-f]*@plt$' \
			names)" -eq 2 ] || return 1
	done
}

plt_arm() {
	cat >arm.S <<-'END'
		.globl _start
		.type _start, %function
	_start:	bl one
		bl two
		.size _start, . - _start
	END
	for flags in "-z lazy" "-z now" "-z force-bti"; do
		# shellcheck disable=SC2086 # lists of flags
		aarch64-linux-gnu-as -o arm.o arm.S &&
			aarch64-linux-gnu-ld -shared $flags -o arm.so arm.o &&
			plt_of arm.so aarch64-linux-gnu-objdump &&
			[ "$(wc -l <names)" -eq 2 ] || return 1
	done
}

# name_of SYMBOL [OPTION]: what the report calls a function of that name.
name_of() {
	printf '\t.globl "%s"\n\t.type "%s", %%function\n"%s":\t.skip 16\n' \
		"$1" "$1" "$1" >named.S
	shift
	gcc -nostdlib -static -no-pie -Wl,-e,0 -Wl,--build-id=none \
		-Wl,-Ttext=0x401000 -o named named.S || return 1
	make_prof high=0x401010 counts=0:1 >named.out
	"$prof" "$@" named named.out 2>errors | sed '1,3d; s|^.\{49\}||'
}

readable() {
	while read -r mangled wanted; do
		got=$(name_of "$mangled") && raw=$(name_of "$mangled" -r) ||
			return 1
		echo "$got"
		[ "$got" = "$wanted" ] && [ "$raw" = "$mangled" ] || return 1
	done <<-'END'
		_ZNSt6vectorIiSaIiEE9push_backEOi std::vector<int, std::allocator<int> >::push_back(int&&)
		_ZN3foo3barEv.part.0 foo::bar() [clone .part.0]
		_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE core::fmt::Write::write_fmt
		_RNvCs1234_7mycrate3foo mycrate::foo
		_RNvC6_123foo3bar 123foo::bar
		_Znobody _Znobody
		plain plain
	END
}

twice() {
	perl -e "$digits"' print "_Z1f1pIiiE";
		for (0 .. $ARGV[0]) {
			my $s = "S" . digits($_, "A" .. "Z");
			print "S_I$s${s}E";
		}' "$1"
}

twice_rust() {
	perl -e "$digits"' my ($name, $last) = ("INvC1a1bTllE", 8);
		for (1 .. $ARGV[0]) {
			my $b = "B" . digits($last - 1, "a" .. "z", "A" .. "Z");
			$last = length $name;
			$name .= "T$b${b}E";
		}
		print "_R${name}E"' "$1"
}

# Names that hurt: too much text, too deep, and what a terminal obeys.
hostile() {
	deep=$(printf '%400000s' '' | tr ' ' P)
	name_of "_Z1f${deep}i" >got && echo "_Z1f${deep}i" | cmp - got || return 1
	middle=$(printf '%3900s' '' | tr ' ' P)
	name_of "_Z1f${middle}i" >got && [ -s got ] || return 1
	# Each has the one before it twice.
	# shellcheck disable=SC2016 # perl's
	digits='sub digits { my ($n, $s) = (shift, "");
		do { $s = (0 .. 9, @_)[$n % (10 + @_)] . $s;
		     $n = int($n / (10 + @_)) } while $n; "${s}_" }'
	short=$(twice 3) && long=$(twice 60) || return 1
	name_of "$short" | grep -q '^f(p<int, int>, p<p<int, int>, ' &&
		name_of "$long" | grep -qx "$long" || return 1
	short=$(twice_rust 3) && long=$(twice_rust 60) || return 1
	name_of "$short" | grep -q '^a::b::<(i32, i32), ((i32, i32), ' &&
		name_of "$long" | grep -qx "$long" || return 1
	esc=$(printf '\033')
	[ "$(name_of "a${esc}[31mb")" = 'a\x1b[31mb' ] &&
		[ "$(name_of "a${esc}[31mb" -r)" = 'a\x1b[31mb' ] &&
		[ "$(name_of "_ZN1a3${esc}[1Ev")" = 'a::\x1b[1()' ] &&
		[ "$(name_of "$(printf 'caf\303\251')")" = \
			"$(printf 'caf\303\251')" ] &&
		[ "$(name_of "$(printf 'a\302\233b\342\200\256c\377d')")" = \
			'a\xc2\x9bb\xe2\x80\xaec\xffd' ] &&
		[ "$(name_of "$(printf 'a\233\2331b\370\210\210\210')")" = \
			'a\x9b\x9b1b\xf8\x88\x88\x88' ]
}

check "a stripped program, and one with a separate debug file" stripped
check "stripped: names end where they end, .eh_frame bounds the rest" no_names
check "-z lazy, -z now, without PIE, without IBT: exp@plt" plt_linked
if builds_m32; then
	export WORD=4
	check "the same for 32-bit programs" plt_linked -m32
	unset WORD
else
	skip "the same for 32-bit programs" "no 32-bit compiler"
fi
check "static: the entries of what is chosen at the start" plt_static
if command -v aarch64-linux-gnu-ld >/dev/null; then
	check "the same for arm64" plt_arm
else
	skip "the same for arm64" "no binutils for it"
fi
check "names of C++ and Rust are readable, and raw with -r" readable
check "names that hurt do not" hostile
finish
