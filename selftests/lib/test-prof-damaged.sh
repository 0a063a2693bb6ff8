#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# prof on what it can't report: files that are not there, something else, wrong, or
# cut short.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/tool.sh"
# shellcheck source=/dev/null
. "$here/prof.sh"

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

# The report stands; the sum is what can't be.
no_sum() {
	rm -f mon.sum
	! "$prof" "$@" >got 2>errors || return 1
	cat errors
	grep -q 'no sum of other' errors && [ ! -e mon.sum ]
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

# With a profile in place, what prof says is of the program.
make_prof counts=0:1 >mon.out
check "files that are not there, or something else" not_there
check "a program that is compressed is not unpacked" packed
check "headers that are wrong" wrong
check "files that are cut short" cut_short
check "a program that is cut short" cut_program
finish
