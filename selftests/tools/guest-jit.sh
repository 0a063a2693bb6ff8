#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Code that programs make or move: node(1) with a jitdump and with a perf-PID.map,
# its own text on huge pages, and a JIT that puts two functions at one address.  As
# an ordinary user.  For the guest; elsewhere it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# made_is_named: of the samples in memory without a file.
made_is_named() {
	rows object >/dev/null || return 1
	cat rows.csv
	awk -F, 'NR > 1 && $6 == "\"[jit]\"" { named += $1 }
		 NR > 1 && $6 ~ /^"\[anon/ { unnamed += $1 }
		 END { print named + 0, "named,", unnamed + 0, "not"
		       exit !(named >= 100 && 99 * unnamed <= named) }' rows.csv
}

by_node() {
	record 0 node "$@" "$progs/work.js" 4000 && made_is_named &&
		rows function >/dev/null && grep -q 'fib' rows.csv &&
		grep -q 'sieve' rows.csv && balanced
}

# Executable memory without a file, right behind text of node's file.
text_is_moved() {
	node --use-largepages=on -p 'fs.readFileSync("/proc/self/maps", "latin1")' |
		awk '$2 == "r-xp" && $5 == 0 && NF == 5 && file { found = 1 }
		     { file = $2 == "r-xp" && /\/node$/ }
		     END { exit !found }'
}

# The functions of that text, too, are those of node's file.
on_huge_pages() {
	by_node --perf-basic-prof --use-largepages=on &&
		awk -F, '$6 ~ /\/node"$/ { all += $1 }
			 $6 ~ /\/node"$/ && $5 ~ /\+0x/ { not += $1 }
			 END { print not + 0, "of", all, "in node have no name"
			       exit !(all > 50 && 100 * not <= all) }' rows.csv
}

# What ran while one took the other's place may be of either, and is named so.
reused() {
	record 0 "$work/reuse" 2 && made_is_named && rows function >/dev/null &&
		a=$(samples made_a) && b=$(samples made_b) &&
		two=$(samples "[jit: two functions]") || return 1
	echo "made_a $a, made_b $b, two functions $two"
	awk -v a="$a" -v b="$b" -v two="$two" 'BEGIN {
		n = a + b + two
		sigma = n ? sqrt(n * 0.75 * 0.25) : 1
		exit !(n > 500 && a < 0.75 * n + 4 * sigma &&
		       b < 0.25 * n + 4 * sigma && b > 0 &&
		       a + two > 0.75 * n - 4 * sigma && two < n / 2) }'
}

build reuse reuse.c
chmod 755 ./*

check "jit_reused_address_named_as_of_the_time" reused
if command -v node >/dev/null; then
	check "jit_node_perf_prof_99_percent_named" by_node --perf-prof
	check "jit_node_perf_basic_prof_99_percent_named" by_node \
		--perf-basic-prof
	if text_is_moved; then
		check "jit_node_text_on_huge_pages_named" on_huge_pages
	else
		skip "jit_node_text_on_huge_pages_named" "this node moves no text"
	fi
else
	skip "jit_node" "there is no node"
fi
finish
