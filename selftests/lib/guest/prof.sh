#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# monitor() and prof on /dev/profil, end to end.  For the guest.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
. "$here/../tool.sh"

linked() {
	build "$@" -Wno-strict-prototypes -L"$PROFIL_LIB_DIR" -lprofil \
		-Wl,-rpath,"$PROFIL_LIB_DIR"
}

# report PROGRAM ARG...: its shares and its calls.
report() {
	rm -f mon.out
	report_name=$1
	shift
	PROFIL_BACKEND=kernel "./$report_name" "$@" >counted 2>books ||
		return 1
	cat books
	prof_calls_equal "$report_name" mon.out counted
	calls=$?
	cat prof.out
	[ "$calls" -eq 0 ] && awk '
		$NF == "three" { t = $3 }
		$NF == "one" { o = $3 }
		END { share = 100 * t / (t + o)
		      exit !(share > 70 && share < 80) }' prof.out
}

# What the books say was binned is what the report adds up to.
balanced() {
	awk 'NR == FNR { binned = $1; hz = $2; next }
	     FNR > 1 { sum = $2 * hz }
	     END { print binned, sum
		   exit !(sum > binned - 3 && sum < binned + 3) }' \
		books prof.out
}

# Name, calls, seconds in hundredths, of those that have either.
table() {
	awk '$1 ~ /^[0-9.]+$/ && NF > 3 {
		print $NF, (NF > 4 ? $4 : 0), int($3 * 100 + 0.5) }' |
		LC_ALL=C sort
}

agrees() {
	rm -f gmon.out
	linked spin spin.c -pg || return 1
	./spin 1000 ticks >said || return 1
	gprof -b -p spin gmon.out | table >of.gprof
	"$prof" -m gmon.out spin | table >of.prof
	cat of.gprof of.prof
	[ -s of.gprof ] && join of.gprof of.prof | awk '
		$2 != $4 || $3 - $5 > 1 || $5 - $3 > 1 { bad = 1 }
		{ lines++ }
		END { exit bad || lines < 2 }'
}

linked shares shares.c -p
linked nopie shares.c -p -no-pie
check "monitor: shares 3 to 1 and every call" report shares
check "the samples reported are those of the books" balanced
check "the same not as a PIE" report nopie
check "the same with a coarse histogram" report shares 271
check "its samples are those of the books" balanced
check "prof has gprof's times and calls of a gmon.out" agrees
finish
