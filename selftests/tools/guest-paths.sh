#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Call paths that profil run records, as an ordinary user: of known shares, and
# of a system's programs as they are.  For the guest; elsewhere it compiles.
# shellcheck disable=SC2317,SC2154,SC2016 # tests are passed by name; other languages
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# path_ends: the shares by how call paths ended, a line for each.
path_ends() {
	user "$profil" report --no-lines >text || return 1
	sed -n 's/^call paths: //p' text | sed 's/[,;] /\n/g'
}

# whole PERCENT: 100 samples have whole paths, and of all paths so many are, not
# counting samples that came before the kernel had tables, or when the program
# ended and had no stack any more, or of libraries that were mapped since its maps
# were read: how many those are says how slow the machine is.
whole() {
	path_ends >ends
	cat ends
	rows function >/dev/null && all=$(awk -F, '{ sum += $1 } END { print sum }' \
		rows.csv) || return 1
	awk -v least="$1" -v all="$all" '
		/ whole$/ { whole = $1 }
		/ without one$/ { before = $1 }
		/ not readable$/ { after = $1 }
		/ unmapped$/ { since = $1 }
		END { paths = 100 - before - after - since
		      print all, "samples"
		      exit !(after < 10 && whole * all >= 10000 &&
			     100 * whole >= least * paths) }' ends
}

# path_share PERCENT NAME...: after whole, at least so much of the whole paths has
# one of them.
path_share() {
	path_least=$1
	shift
	for name; do
		samples "$name"
	done | sort -n | awk -v least="$path_least" -v all="$all" '
		NR == FNR && / whole$/ { paths = $1 / 100 * all }
		NR != FNR { most = $1 }
		END { print most, "of", paths
		      exit !(100 * most >= least * paths) }' ends -
}

# called ARG...: both callers, and what they are called from.
called() {
	record 0 "$work/callers" 2000 "$@" && three_to_one heavy light &&
		whole 98 && path_share 90 both
}

threads_called() {
	called threads && path_share 90 start_thread clone3 __clone3
}

# It has nothing but the pcs: a function's total is its own.
without() {
	record 0 --no-paths "$work/callers" 600 || return 1
	rows function >/dev/null
	path_ends >ends
	cat rows.csv ends
	[ ! -s ends ] && share burn 60 &&
		awk -F, '$5 == "\"both\"" { sum += $2 }
			 END { exit !(sum < 30) }' rows.csv
}

late_library() {
	record 0 "$work/plugin" "$work/late.so" 2000 || return 1
	whole 0 && share hidden_burn 40 && path_share 90 main
}

# A table that has no room is told, and the rest is given.
little_memlock() {
	rm -f user/profil.pb.gz
	user prlimit --memlock=0 "$profil" run -q "$work/callers" 2000 || return 1
	path_ends >ends
	cat text
	grep -q 'found no memory' text || whole 98
}

# The table of python3 has room then.
python_64_kib() {
	rm -f user/profil.pb.gz
	user prlimit --memlock=65536 "$profil" run -q python3 -c '
def squares(n): return sum(i * i for i in range(n))
for i in range(60): squares(8000)' || return 1
	whole 95
}

attached() {
	start 1000 "$work/callers" 100000
	rm -f user/profil.pb.gz
	attached=0
	user "$profil" attach -d 10 callers || attached=$?
	stop
	path_ends
	[ $attached -eq 0 ] && three_to_one heavy light &&
		whole 98 && path_share 90 both
}

python_works() {
	cat >user/work.py <<-'END'
		def squares(n):
		    return sum(i * i for i in range(n))
		def names(n):
		    table = {}
		    for i in range(n):
		        table[str(i)] = sorted([i, 3, 2], key=lambda x: -x)
		    return len(table)
		for i in range(40):
		    squares(3000)
		    names(1500)
	END
	record 0 "$(command -v python3.11 || command -v python3)" work.py &&
		whole 99 && path_share 90 _start
}

gawk_works() {
	record 0 gawk 'BEGIN { for (i = 0; i < 150000; i++) {
		a[i % 1000] += i; s = s substr("abcdef", i % 6, 1)
		if (length(s) > 1000) { n += gsub(/a/, "b", s); s = "" } } }' &&
		whole 99
}

xz_works() {
	cat "$(command -v bash)" "$(command -v perl)" | head -c 1500000 >user/big
	record 0 xz -kc -T2 big >/dev/null && whole 99
}

perl_works() {
	record 0 perl -e 'for $i (1..200000) { $h{$i % 5000} .= chr(65 + $i % 26) }
		@k = sort { length $h{$a} <=> length $h{$b} } keys %h;
		for (1..100000) { $t = join ",", 1..5; $t =~ s/1/2/ }' &&
		whole 99
}

bash_works() {
	record 0 bash -c 'f() { local x=$1; s=$((s + x * 3 % 7)); }
		for ((i = 0; i < 15000; i++)); do f $i; done' && whole 99
}

# Its own text has frame pointers, and its builtins lie between the compiler's.
node_works() {
	record 0 node -e 'function f(n) { let s = 0;
			for (let i = 0; i < n; i++) s += i * i % 7;
			return s; }
		function g(n) { const m = new Map();
			for (let i = 0; i < n; i++) m.set("k" + i, [i].sort());
			return JSON.stringify([...m]).length; }
		for (let i = 0; i < 500; i++) { f(100000); g(1500); }' &&
		whole 98
}

build callers callers.c
build plugin plugin.c -Wl,--no-as-needed -ldl
build late.so plugin.c -DPLUGIN -shared -fPIC
chmod 755 ./*

check "paths_callers_are_three_to_one" called
check "paths_forked_children_have_them" called fork
check "paths_threads_end_where_they_began" threads_called
check "paths_left_out_are_plain_pcs" without
check "paths_late_library_is_whole" late_library
check "paths_little_memlock_is_told" little_memlock
check "paths_python_needs_64_kib_of_memlock" python_64_kib
check "paths_attached_have_them" attached
for program in python3 gawk xz perl bash node; do
	if command -v "$program" >/dev/null; then
		check "paths_${program}_is_whole" "${program%3}_works"
	else
		skip "paths_${program}_is_whole" "there is no $program"
	fi
done
finish
