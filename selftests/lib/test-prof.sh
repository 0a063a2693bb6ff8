#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# prof, on profiles whose contents are known, and on damaged ones.
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

# report ARG...: what prof says, to be the same as standard input.
report() {
	cat >wanted
	"$prof" "$@" >got 2>errors || { cat errors; return 1; }
	diff wanted got
}

# samples ARG...: name and samples of each line, at 1 sample a second.
samples() {
	"$prof" "$@" >got || return 1
	awk 'NR > 1 { printf "%s %.2f\n", $NF, $3 }' got
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
	says 'was it stripped?' naked && samples linked | grep -q '^alpha'
}

full() {
	make_prof counts=0:65535 calls=0x401000:1 >file
	"$prof" -m file fixed 2>errors >got
	cat errors
	grep -q '1 counters are full' errors
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
		make_prof low=0x401100 >other &&
		no_sum -s fixed file other
}

# The report stands; the sum is what can't be.
no_sum() {
	rm -f mon.sum
	! "$prof" "$@" >got 2>errors || return 1
	cat errors
	grep -q 'no sum of profiles' errors && [ ! -e mon.sum ]
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
		"$prof" --version | grep -qF "$(cat "$tree/VERSION")" ||
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
check "full counters are said" full
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
