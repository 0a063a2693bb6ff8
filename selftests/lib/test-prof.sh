#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# prof on profiles of known contents: its columns, its options, and its sums.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/tool.sh"
# shellcheck source=/dev/null
. "$here/prof.sh"

# report ARG...: prof's table, to be the same as standard input.
report() {
	cat >wanted
	"$prof" "$@" >whole 2>errors || { cat errors; return 1; }
	sed 1,2d whole >got
	diff wanted got
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

check "every column" columns
check "-n sorts by calls" by_calls
check "-l sorts by address, -z shows the idle" by_address
check "-a has local labels" labels
check "several files add up" several
check "-s writes mon.sum, which adds up again" sum
check "counters at every scale and width" shares
check "a counter of several functions is shared out" proportion
check "gmon.out, its records summed, as gprof has it" gmon
if builds_m32; then
	check "a 32-bit program" narrow
else
	skip "a 32-bit program" "no 32-bit compiler"
fi
check "a PIE" pie
check "full counters are said, but not what was spread" full
check "the head has samples, rate and time" head_line
check "mon.out or gmon.out, the newer, here or beside the program" found
check "-s sums what fits, and says what does not" sum_ranges
check "what the kernel writes, as gprof -O 4.4bsd has it" bsd
check "what is in no symbol has a line" no_symbol
check "calls without time" no_time
check "--help, --version, a wrong option" usage
check "a report that can't be written is an error" full_output
finish
