#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# prof on profiles of known contents, and on damaged ones.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/tool.sh"

fixed() {
	fixed_name=$1
	shift
	gcc -nostdlib -Wl,-e,alpha -Wl,--build-id=none -o "$fixed_name" \
		"$progs/fixed.S" "$@"
}

make_prof() {
	perl "$progs/mkprof.pl" "$@"
}

# report ARG...: prof's table, to be the same as standard input.
report() {
	cat >wanted
	"$prof" "$@" >whole 2>errors || { cat errors; return 1; }
	sed 1,2d whole >got
	diff wanted got
}

# samples ARG...: name and samples of each line, at 1 sample a second.
samples() {
	"$prof" "$@" >got || return 1
	awk 'NR > 3 { printf "%s %.2f\n", $NF, $3 }' got
}

# says PATTERN ARG...: no report, one line that has the pattern, status 1.
says() {
	says_what=$1
	shift
	says_status=0
	timeout 20 "$prof" "$@" >got 2>errors || says_status=$?
	cat errors
	[ "$says_status" -eq 1 ] && [ ! -s got ] &&
		[ "$(wc -l <errors)" -eq 1 ] && grep -q "$says_what" errors
}

columns() {
	make_prof counts=0:200,1:100,64:100 \
		calls=0x401008:3,0x401009:1,0x401100:1000 >mon.out
	report fixed <<-'END'
	 %time  cumsecs  seconds       calls    ms/call  name
	  75.0     3.00     3.00           4   750.0000  alpha
	  25.0     4.00     1.00        1000     1.0000  beta
	END
}

by_calls() {
	report -n fixed <<-'END'
	 %time  cumsecs  seconds       calls    ms/call  name
	  25.0     1.00     1.00        1000     1.0000  beta
	  75.0     4.00     3.00           4   750.0000  alpha
	END
}

by_address() {
	report -lz fixed <<-'END'
	 %time  cumsecs  seconds       calls    ms/call  name
	  75.0     3.00     3.00           4   750.0000  alpha
	  25.0     4.00     1.00        1000     1.0000  beta
	   0.0     4.00     0.00                         hidden
	   0.0     4.00     0.00                         idle
	END
}

labels() {
	report -laz fixed <<-'END'
	 %time  cumsecs  seconds       calls    ms/call  name
	  75.0     3.00     3.00           4   750.0000  alpha
	  25.0     4.00     1.00        1000     1.0000  beta
	   0.0     4.00     0.00                         hidden
	   0.0     4.00     0.00                         label
	   0.0     4.00     0.00                         idle
	END
}

several() {
	make_prof counts=64:200 calls=0x401100:500 >second
	report -m mon.out fixed second <<-'END'
	 %time  cumsecs  seconds       calls    ms/call  name
	  50.0     3.00     3.00           4   750.0000  alpha
	  50.0     6.00     3.00        1500     2.0000  beta
	END
}

sum() {
	"$prof" -s fixed mon.out second >first || return 1
	"$prof" -s fixed mon.sum mon.out >got || return 1
	report fixed mon.sum <<-'END'
	 %time  cumsecs  seconds       calls    ms/call  name
	  60.0     6.00     6.00           8   750.0000  alpha
	  40.0    10.00     4.00        2500     1.6000  beta
	END
}

# Each byte of text has one sample: a function gets as many as it has bytes,
# but for what shares a counter with its neighbour.
shares() {
	printf 'alpha %s\nbeta %s\nhidden %s\nidle %s\n' \
		256.00 256.00 128.00 128.00 >wanted
	for width in 2 4 8; do
		for scale in 0x10000 0x8000 0x7fff 0x5555 0x1234 0x333; do
			make_prof even=1 hz=1 scale=$scale width=$width >file
			samples -l -m file fixed >got.shares || return 1
			diff wanted got.shares || return 1
		done
	done
}

# Of the counter's 512 bytes: 256 of beta, 128 of hidden, 128 of idle.
proportion() {
	make_prof hz=1 low=0x401100 scale=0x100 counts=0:1000 >file
	printf 'beta 500.00\nhidden 250.00\nidle 250.00\n' >wanted
	samples -l -m file fixed | diff wanted -
}

# headed LINE ARG...: what the report begins with.
headed() {
	headed_line=$1
	shift
	"$prof" "$@" >got || return 1
	head -n 2 got
	[ "$(sed -n 1p got)" = "$headed_line" ] && [ -z "$(sed -n 2p got)" ]
}

head_line() {
	make_prof hz=250 counts=0:999,64:1 >one
	make_prof hz=250 counts=1:500 >two
	make_prof kind=gmon hz=250 counts=1:500 >three
	headed "one: 1000 samples, 250 a second: 4.00 seconds" fixed one &&
		headed "2 files: 1500 samples, 250 a second: 6.00 seconds" \
			fixed one two &&
		headed "three: 1000 samples, 250 a second: 4.00 seconds" \
			-m three fixed
}

# The one here comes before the ones beside the program, and the newer first.
found() {
	mkdir -p here beside && cp fixed beside/ || return 1
	make_prof counts=0:100 >beside/mon.out
	(cd here && cp ../fixed . && says "neither mon.out nor gmon" fixed &&
		"$prof" ../beside/fixed | grep -q "^../beside/mon.out: 100 ") ||
		return 1
	(cd here && make_prof kind=gmon counts=0:100 >gmon.out &&
		"$prof" ../beside/fixed | grep -q "^gmon.out: 200 " &&
		make_prof counts=0:1 >mon.out &&
		touch -d "2020-01-01 00:00:01.5" mon.out &&
		touch -d "2020-01-01 00:00:01.6" gmon.out &&
		"$prof" fixed | grep -q "^gmon.out: 200 " &&
		touch -d "2020-01-01 00:00:01.7" mon.out &&
		"$prof" fixed | grep -q "^mon.out: 1 ")
}

gmon() {
	make_prof kind=gmon counts=0:100,1:50,64:50 \
		calls=0x401008:3,0x401009:1,0x401100:1000 >gmon.out
	report -m gmon.out fixed <<-'END' || return 1
	 %time  cumsecs  seconds       calls    ms/call  name
	  75.0     3.00     3.00           4   750.0000  alpha
	  25.0     4.00     1.00        1000     1.0000  beta
	END
	gprof -b -p fixed gmon.out >gprof.out
	cat gprof.out
	grep -Eq '^ *75\.00 +3\.00 +3\.00 +4 .* alpha$' gprof.out
}

narrow() {
	fixed fixed32 -m32 -static -no-pie -Wl,-Ttext=0x401000 || return 1
	for kind in mon gmon; do
		make_prof kind=$kind word=4 hz=1 counts=64:7 >file
		samples -m file fixed32 | grep -Eqx 'beta (7|14).00' || return 1
	done
	make_prof >file
	says 'not of this one' -m file fixed32
}

pie() {
	fixed fixed_pie -static-pie -Wl,-Ttext=0x1000 || return 1
	make_prof hz=1 low=0x1000 high=0x1300 counts=64:7 >file
	samples -m file fixed_pie | grep -qx 'beta 7.00'
}

stripped() {
	objcopy --only-keep-debug fixed fixed.debug
	objcopy -S --add-gnu-debuglink=fixed.debug fixed linked
	strip -o naked fixed
	says 'was it stripped?' naked file && samples linked | grep -q '^alpha'
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

full() {
	make_prof counts=0:65535 calls=0x401000:1 >file
	"$prof" -m file fixed 2>errors >got
	cat errors
	grep -q 'file: 1 counter is full' errors || return 1
	perl -e 'print "gmon", pack("La12", 1, "");
		for (@ARGV) {
			print pack "CQQLLa15a", 0, 0x401000, 0x401010, 8, 100,
				"seconds", "s";
			print pack "S8", split /,/;
		}' 65535,0,0,0,0,0,0,0 1,0,0,0,0,0,0,0 >spread &&
	"$prof" -m spread fixed 2>errors >got && [ ! -s errors ] &&
		grep -q '^spread: 65536 samples' got || return 1
	# A full counter behind what is spread, and one of the next file.
	perl -e 'print "gmon", pack("La12", 1, "");
		for (@ARGV) {
			print pack "CQQLLa15a", 0, 0x401000, 0x401010, 8, 100,
				"seconds", "s";
			print pack "S8", split /,/;
		}' 65535,65535,65535,0,0,0,0,0 65535,65535,3,0,0,0,0,0 >twice &&
	"$prof" fixed twice spread 2>errors >got || return 1
	cat errors
	[ "$(cat errors)" = \
		"prof: twice: 2 counters are full: there the time was more" ]
}

no_symbol() {
	make_prof hz=1 low=0x401200 high=0x401400 counts=0:1,100:3 \
		calls=0x9000:5 >file
	"$prof" -m file fixed 2>errors | tee got
	grep -q 'is it the program that ran?' errors &&
		grep -Eq '^ *75\.0 +3\.00 +3\.00 +5 .*\(no symbol\)$' got &&
		grep -Eq '^ *25\.0 .* hidden$' got
}

no_time() {
	make_prof calls=0x401100:5 >file
	"$prof" -m file fixed >got 2>errors || return 1
	cat got errors
	grep -q 'no time accumulated' errors && grep -q ' 5 .*beta' got
}

not_there() {
	says "nowhere: No such file" fixed nowhere &&
		says "nothing: No such file" nothing &&
		says "not a regular file" fixed . &&
		says "neither a mon.out nor" fixed "$progs/fixed.S" &&
		says "$progs/fixed.S: " "$progs/fixed.S" || return 1
	: >file
	says empty fixed file || return 1
	mkfifo pipe
	says "pipe: not a regular file" pipe &&
		says "pipe: not a regular file" fixed pipe
}

# What unpacks to no end.
packed() {
	gzip <fixed >fixed.gz
	says "fixed.gz: not an ELF file" fixed.gz
}

# bad PATTERN KEY=VALUE...
bad() {
	bad_pattern=$1
	shift
	make_prof "$@" >file
	says "$bad_pattern" fixed file
}

wrong() {
	bad 'not of fixed' low=0x1000 high=0x1300 &&
		bad 'not of fixed' low=0x501000 high=0x501300 &&
		bad 'damaged: 10 counters' kind=gmon high=0x401004 \
			counts=9:1 &&
		bad 'version 2' version=2 &&
		bad 'byte order' version=16777216 &&
		bad 'damaged: addresses' word=5 &&
		bad 'a second' hz=0 &&
		bad 'cut short' nbins=193 && bad 'cut short' ncnt=1000 &&
		bad 'damaged' tail=1 && bad 'too many' ncnt=0 tail=16 &&
		bad damaged high=0x401300 nbins=100 tail=0 &&
		bad 'byte order' kind=gmon version=16777216 &&
		bad 'record of kind' kind=gmon tail=5 || return 1
	make_prof hz=50 >other
	make_prof >file
	says 'has 50 samples a second' fixed file other &&
		make_prof kind=gmon scale=43691 >other &&
		no_sum -s fixed other
}

# The report stands; the sum is what can't be.
no_sum() {
	rm -f mon.sum
	! "$prof" "$@" >got 2>errors || return 1
	cat errors
	grep -q 'no sum of other' errors && [ ! -e mon.sum ]
}

# partly PATTERN SAMPLES ARG...: a sum without one file, which is said.
partly() {
	partly_pattern=$1
	partly_samples=$2
	shift 2
	rm -f mon.sum
	! "$prof" -s fixed "$@" >got 2>errors || return 1
	cat errors
	[ "$(grep -c "not in mon.sum" errors)" -eq 1 ] &&
		grep -q "$partly_pattern" errors &&
		"$prof" fixed mon.sum | grep "^mon.sum: $partly_samples "
}

# Ranges of one program, as of files from before: with gaps, and side by side.
sum_ranges() {
	make_prof counts=0:1 calls=0x401008:3 >whole
	make_prof kind=gmon low=0x401100 high=0x401200 counts=0:10 >middle
	make_prof kind=gmon low=0x401200 counts=0:100 >rest
	make_prof kind=gmon high=0x401100 counts=0:1000 >start
	for order in "whole middle rest start" "rest start middle whole" \
			"start rest"; do
		rm -f mon.sum
		# shellcheck disable=SC2086 # files
		"$prof" -s fixed $order >first 2>errors || return 1
		[ ! -s errors ] && "$prof" fixed mon.sum >got || return 1
		sed 1,2d first >wanted
		sed 1,2d got | diff wanted - || return 1
	done
	make_prof kind=gmon scale=0x2000 counts=0:5 calls=0x401008:3 >coarse
	partly 'coarse: not in mon.sum: .*more or less text.* whole' 21 \
		whole middle coarse || return 1
	make_prof low=0x401002 counts=0:5 >odd
	partly 'odd: not in mon.sum: .*begin at other.* whole' 21 \
		whole odd middle || return 1
	make_prof kind=gmon low=0xfff01000 high=0xfff01100 counts=0:5 >far
	partly 'far: not in mon.sum: .*far from that of whole' 21 \
		whole middle far
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

# What the kernel writes, in the order of its header.
make_bsd() {
	perl -e 'my ($w, $high, $tail, $totarc, $hz) = @ARGV;
		my $p = $w == 4 ? "L" : "Q";
		print pack "$p${p}LLLLLL", 0x401000, $high, 2 * $w + 24 + 2 * 8,
			0x51879, $hz, $totarc, 0, 0;
		print pack "S8", 100, 50, 0, 0, 0, 0, 0, $tail;
		print pack "$p$p$p", @$_ for [0x401200, 0x401008, 3],
			[0x401200, 0x401009, 1], [0, 0, 0];' \
		"${1:-8}" "${2:-0x401010}" "${3:-50}" "${4:-72}" "${5:-100}"
}

bsd() {
	make_bsd 8 $((0x401010)) >gmon.fixed.123.out
	report fixed gmon.fixed.123.out <<-'END' || return 1
	 %time  cumsecs  seconds       calls    ms/call  name
	 100.0     2.00     2.00           4   500.0000  alpha
	END
	gprof -O 4.4bsd -b -p fixed gmon.fixed.123.out >gprof.out
	cat gprof.out
	grep -Eq '^ *100\.00 +2\.00 +2\.00 +4 .* alpha$' gprof.out || return 1
	# Older systems say nothing of the arcs.
	make_bsd 8 $((0x401010)) 50 0 >old && samples fixed old || return 1
	make_bsd 8 $((0x401010)) 65535 >file
	"$prof" fixed file 2>errors >got || return 1
	grep -q 'file: 1 counter is full' errors || return 1
	make_bsd 8 $((0x401010)) 50 73 >file && says 'cut short' fixed file &&
		make_bsd 4 $((0x401010)) >file &&
		says 'of a 32-bit program' fixed file &&
		make_bsd 8 $((0x401010)) 50 72 0 >file &&
		says 'a second' fixed file &&
		make_bsd 8 $((0x400010)) >file && says damaged fixed file ||
		return 1
	rm -f mon.sum
	"$prof" -s fixed gmon.fixed.123.out old >got 2>&1 &&
		"$prof" fixed mon.sum | grep '^mon.sum: 400 samples'
}

# cut KIND: how many of the beginnings of a file are no damaged file.
cut() {
	make_prof kind="$1" high=0x401010 scale=0x4000 counts=0:1 \
		calls=0x401008:3 >whole
	size=$(wc -c <whole)
	at=1
	good=0
	while [ "$at" -lt "$size" ]; do
		head -c "$at" whole >file
		if "$prof" fixed file >got 2>errors; then
			good=$((good + 1))
		else
			says 'cut short\|neither' fixed file >said || return 1
		fi
		at=$((at + 1))
	done
}

# Between two of the three records a gmon.out is whole.
cut_short() {
	cut mon && [ "$good" -eq 0 ] && cut gmon && [ "$good" -eq 3 ]
}

# Its sections are told at its end.
cut_program() {
	for size in 1000 "$(($(wc -c <fixed) - 1))"; do
		head -c "$size" fixed >part
		says 'part: cut short' part || return 1
	done
}

usage() {
	"$prof" --help | grep -q '^usage: prof' &&
		"$prof" --version | grep -qF "$(cat "$tree/VERSION")" &&
		[ "$("$prof" -V)" = "$("$prof" --version)" ] ||
		return 1
	! "$prof" -x >got 2>errors && [ ! -s got ] && grep -q usage: errors
}

full_output() {
	! "$prof" fixed >/dev/full
}

fixed fixed -static -no-pie -Wl,-Ttext=0x401000
check "every column" columns
check "-n sorts by calls" by_calls
check "-l sorts by address, -z shows the idle" by_address
check "-a has local labels" labels
check "several files add up" several
check "-s writes mon.sum, which adds up again" sum
check "counters at every scale and width" shares
check "a counter of several functions is shared out" proportion
check "gmon.out, its records summed, as gprof has it" gmon
if echo 'int main(void) { return 0; }' |
	gcc -m32 -x c -o m32 - 2>/dev/null; then
	check "a 32-bit program" narrow
else
	skip "a 32-bit program" "no 32-bit compiler"
fi
check "a PIE" pie
check "a stripped program, and one with a separate debug file" stripped
check "full counters are said, but not what was spread" full
check "the head has samples, rate and time" head_line
check "mon.out or gmon.out, the newer, here or beside the program" found
check "stripped: names end where they end, .eh_frame bounds the rest" no_names
check "-z lazy, -z now, without PIE, without IBT: exp@plt" plt_linked
if echo 'int main(void) { return 0; }' |
	gcc -m32 -x c -o m32 - 2>/dev/null; then
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
check "-s sums what fits, and says what does not" sum_ranges
check "what the kernel writes, as gprof -O 4.4bsd has it" bsd
check "what is in no symbol has a line" no_symbol
check "calls without time" no_time
check "files that are not there, or something else" not_there
check "a program that is compressed is not unpacked" packed
check "headers that are wrong" wrong
check "files that are cut short" cut_short
check "a program that is cut short" cut_program
check "--help, --version, a wrong option" usage
check "a report that can't be written is an error" full_output
finish
