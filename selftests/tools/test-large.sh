#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Call paths by the hundred thousand: what a report takes of memory, how large a
# page is, and a tree that has too many lines.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# scale COMMAND ARG...: it takes less than 96 MiB, and some seconds at most.
scale() {
	[ -s compiler.pb.gz ] || python3 "$here/prog/compiler.py" 2>nodes |
		./fixture compiler.pb.gz >/dev/null || return 1
	cat nodes
	[ "$(sed 's/ .*//' nodes)" -ge 160000 ] &&
		timeout 60 python3 - "$profil" "$@" <<-'END'
	import resource, subprocess, sys
	subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
	used = resource.getrusage(resource.RUSAGE_CHILDREN)
	print(used.ru_utime, "s", used.ru_maxrss, "KiB")
	assert used.ru_maxrss < 96 << 10
	END
}

large_page() {
	scale html -i compiler.pb.gz -o compiler.html || return 1
	size=$(stat -c %s compiler.html)
	echo "$size bytes"
	[ "$size" -lt 614400 ]
}

# 4,001 paths of one sample and one of two, each of 1,000 functions: more nodes
# than a tree has.
large_tree() {
	[ ! -s large.pb.gz ] || return 0
	awk 'BEGIN {
		printf "rate\t1000\nmap\t/opt/prog\taa\t0x1000\t0x20000\t0\n"
		for (i = 0; i < 999; i++)
			below = below "1:0x1000" (i ? ";" : ":deep;")
		for (i = 0; i < 4002; i++)
			printf "sample\t%d\t%s1:%d:top_%d\tpath=whole\n",
				i ? 1 : 2, below, 8192 + i, i
	}' | ./fixture large.pb.gz >/dev/null
}

large_table() {
	large_tree && status 0 "$profil" report -i large.pb.gz --tree \
		--limit 0 >/dev/null && tail -n 1 got | tee last &&
		grep -qx 'what has fewer than 2 samples is folded, because the tree has more than 4000000 lines' last
}

large_csv() {
	large_tree && status 0 "$profil" report -i large.pb.gz --tree --csv \
		--limit 0 >/dev/null && cat errors &&
		grep -qx 'profil: what has fewer than 2 samples is folded, because the tree has more than 4000000 lines' errors
}

# The path of two samples is whole, and the others are one line.
large_kept() {
	large_tree && "$profil" report -i large.pb.gz --tree --csv --limit 0 \
		>got 2>errors || return 1
	head -n 2 got
	[ "$(wc -l <got)" = 1002 ] && grep -q '^1000,2,2,' got &&
		grep -q '^1,4001,4001,.*"\[small\]"' got
}

check "tree_too_large_says_what_is_folded" large_table
check "tree_too_large_csv_says_it" large_csv
check "tree_too_large_keeps_what_it_can" large_kept
check "large_report_below_96_mib" scale report -i compiler.pb.gz
check "large_tree_below_96_mib" scale report --tree -i compiler.pb.gz
check "large_callers_below_96_mib" scale report --callers walk_alloc_7 \
	-i compiler.pb.gz
check "large_page_below_600_kib" large_page
finish
