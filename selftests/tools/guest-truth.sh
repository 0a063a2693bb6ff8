#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil run against what programs of all kinds measure of themselves, and the
# names in its profiles against readelf.  For a guest whose clock counts
# instructions; elsewhere it compiles what that runs.
#
# From the environment: TRUTH_MS, CPU time of each program (4000), and TRUTH, which
# of them.
# shellcheck disable=SC2317,SC2154,SC2034,SC2016 # by name, for others, Perl
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

ms=${TRUTH_MS:-4000}
# While such a guest waits for a file, its time flies.
RECORD_TIMEOUT=20000

# truth KIND STATUS NM PROGRAM [HOW]: its samples are those of what it measured.
truth() {
	truth_kind=$1
	truth_status=$2
	truth_nm=$3
	rm -f user/measured
	record "$truth_status" "$4" "$ms" "$work/user/measured" ${5:+"$5"} &&
		rows function >/dev/null && balanced || return 1
	cp user/profil.pb.gz "profiles/$truth_kind.pb.gz"
	# shellcheck disable=SC2086 # a file or nothing
	python3 "$progs/truth.py" "$truth_kind" rows.csv user/measured $truth_nm
}

# kind NAME STATUS NM PROGRAM [HOW]
kind() {
	case " ${TRUTH-$1} " in
	*" $1 "*) ;;
	*) return 0 ;;
	esac
	check "truth: $1" truth "$@"
	sed -n 's/^[^ ].* expected, /# &/p' "$work/check.log"
}

names_of_truth() {
	python3 "$progs/judge_names.py" profiles/*.pb.gz
}

# Of 20 functions below 5 callers, whose shares are those of a flame graph.
callers_of_truth() {
	rm -f user/measured
	record 0 "$work/truth" 8000 "$work/user/measured" callers && balanced ||
		return 1
	user "$profil" export --folded >folded &&
		python3 "$progs/flame.py" folded user/measured
}

# Programs with thousands of functions, of which most are called.
names_of() {
	record 0 "$@" && python3 "$progs/judge_names.py" user/profil.pb.gz
}

mkdir profiles
build truth truth.c
build static truth.c -static
build static-pie truth.c -static-pie
build no-pie truth.c -no-pie
build truth32 truth.c -m32
build work.so truth.c -DPLUGIN -shared -fPIC
build loads truth.c -DNO_WORK -ldl
CC=musl-gcc build musl truth.c
CC=musl-gcc build musl-static truth.c -static
strip -o stripped truth
nm truth >truth.nm
chmod 755 ./*

kind dynamic 0 "" "$work/truth"
kind no-pie 0 "" "$work/no-pie"
kind static 0 "" "$work/static"
kind static-pie 0 "" "$work/static-pie"
kind musl 0 "" "$work/musl"
kind musl-static 0 "" "$work/musl-static"
kind 32-bit 0 "" "$work/truth32"
kind stripped 0 truth.nm "$work/stripped"
kind dlopen 0 "" "$work/loads" "$work/work.so"
kind fork 0 "" "$work/truth" fork
kind vfork 0 "" "$work/truth" vfork
kind exec 0 "" "$work/truth" exec
kind threads 0 "" "$work/truth" threads
kind kill 137 "" "$work/truth" kill
check "truth: all kinds together" python3 "$progs/truth.py"
sed 's/^/# /' check.log
check "truth: callers and functions together" callers_of_truth
tail -n 1 check.log | sed 's/^/# /'
check "truth: names, by readelf" names_of_truth
sed 's/^/# /' check.log
check "truth: names of python3, by readelf" names_of python3 -S -c '
import json, re, decimal
d = {str(i): [i / 3] * 5 for i in range(300)}
for i in range(100):
    json.loads(json.dumps(d))
    re.findall(r"\d\.\d+", str(d))
    sorted(d, key=lambda k: d[k][0])
    decimal.Decimal(i).exp()'
sed 's/^/# /' check.log
check "truth: names of perl, by readelf" names_of perl -e '
for (1 .. 60) { my %h; $h{$_ * 7919 % 503} .= "x$_" for 1 .. 2000;
	my $n = 0; for (sort keys %h) { $n++ while $h{$_} =~ /x\d+7/g } }'
sed 's/^/# /' check.log
finish
