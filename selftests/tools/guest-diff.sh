#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil diff of real runs, as an ordinary user: two runs of one program are not
# told apart, and one function that became slower is found, each in 20 of 20 pairs.
# For a guest whose clock counts instructions; elsewhere it compiles what that runs.
# shellcheck disable=SC2317,SC2154,SC2016 # tests are passed by name; other languages
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# runs NAME RATE COMMAND...: seven profiles of it, which are not the same.
runs() {
	runs_name=$1
	runs_rate=$2
	shift 2
	# The first run reads its files from the disk, and is another one.
	user "$@" >/dev/null || return 1
	for run in $(seq 7); do
		user "$profil" run -q -r "$runs_rate" -o "$runs_name.$run.pb.gz" "$@" \
			>/dev/null || return 1
	done
	user "$profil" report --csv --no-lines -i "$runs_name.1.pb.gz" >one &&
		user "$profil" report --csv --no-lines -i "$runs_name.2.pb.gz" >two &&
		! cmp -s one two
}

# pairs STATUS BASE NEW: diff says so of all pairs of a run and a later one.
pairs() {
	pairs_nr=0
	pairs_bad=0
	for base in $(seq 6); do
		for new in $(seq $((base + 1)) 7); do
			pairs_status=0
			user "$profil" diff --threshold 1 --base "$2.$base.pb.gz" \
				--new "$3.$new.pb.gz" >said || pairs_status=$?
			pairs_nr=$((pairs_nr + 1))
			[ $pairs_status -eq "$1" ] && continue
			pairs_bad=$((pairs_bad + 1))
			cat said
		done
	done
	echo "$pairs_bad of $pairs_nr pairs are wrong"
	[ $pairs_nr -ge 20 ] && [ $pairs_bad -eq 0 ]
}

python_runs() {
	runs python 5000 python3 -c '
import json
for i in range(700):
    text = json.dumps({str(k): [k] * 8 for k in range(300)})
    sorted(json.loads(text).items())' && pairs 0 python python
}

compiler_runs() {
	for function in $(seq 400); do
		echo "int f$function(int *a, int n) { int s = 0;
			for (int i = 0; i < n; i++) {
				if (a[i] % ($function + 1)) s += a[i] * $function;
				else s ^= a[i] << $function % 7; }
			return s; }"
	done >user/large.c
	runs compiler 5000 gcc -O2 -S -o /dev/null large.c &&
		pairs 0 compiler compiler
}

# Half of the time is 10 percent longer: 2.4 points of all.
slower_is_found() {
	runs before 10000 ./before/halves 250000 &&
		runs after 10000 ./after/halves 250000 &&
		pairs 1 before after && grep -q '^\* .* changed$' said
}

mkdir user/before user/after
build user/before/halves halves.c
build user/after/halves halves.c -DROUNDS=1100
chmod -R go+rX user
# Addresses of each run are its own.
[ -n "$unable" ] || echo 2 >/proc/sys/kernel/randomize_va_space

check "diff_20_pairs_of_python3_are_the_same" python_runs
check "diff_20_pairs_of_a_compiler_are_the_same" compiler_runs
check "diff_20_pairs_find_what_is_10_percent_slower" slower_is_found
finish
