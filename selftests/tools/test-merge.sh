#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Several profiles: their sum, and what keeps them from being summed.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# The same program at other addresses, as each run has them.
moved() {
	fixture_of "${1:-moved.pb.gz}" <<-'END'
	command|./prog --slow
	rate|1000
	time|1700000100
	note|one more
	book|seen|103
	book|counted|100
	book|lost|3
	book|wall_ns|1000000000
	book|cpu_ns|103000000
	map|/lib/libx.so.1|ccdd|0x7fff00001000|0x7fff00009000|0x2000
	map|/opt/prog|aabb|0x501000|0x502000|0x1000
	sample|60|2:0x501010:alpha|program=prog|pid=20|thread=prog|tid=20|kind=user
	sample|40|1:0x7fff00001234:read|program=prog|pid=20|thread=prog|tid=20|kind=system call|syscall=read
	END
}

summed() {
	small a.pb.gz
	moved b.pb.gz
	status 0 "$profil" report -i a.pb.gz -i b.pb.gz -i a.pb.gz || return 1
	grep -Eqx ' +69.5 % +73.3 % +1460  prog       alpha' got &&
		grep -Eqx ' +21.0 % +21.0 % +440  \[kernel\]   \[system call\] read' got
}

time_off() {
	for file in 1 2; do
		fixture_of $file.pb.gz <<-END
		rate|1000
		book|off|100
		book|off_wall_ns|2000000000
		book|off_cpu_ns|100000000
		sample|300|0:0x10:alpha$file|program=p|pid=1|kind=user
		END
	done
	"$profil" report -i 1.pb.gz -i 2.pb.gz | tee got |
		grep -qx 'off: for 4.0 s, 0.2 s of them on a CPU (200 samples)'
}

# By name, because another run has other tids.
thread_times() {
	for tid in 11 12; do
		fixture_of $tid.pb.gz <<-END
		rate|1000
		sample|300|0:0x10:alpha|program=p|pid=1|thread=work|tid=$tid|kind=user
		thread|1 $tid 300000000 100000000 300000000 4:work p
		END
	done
	"$profil" report --by thread-name -i 11.pb.gz -i 12.pb.gz -i 12.pb.gz |
		tee got | grep -qx ' 100.0 %       900     0.90 s    0.30 s  work'
}

# By instruction a sum has no more rows than the first file.
addresses() {
	small a.pb.gz
	moved b.pb.gz
	"$profil" report --by instruction -n 2 -i a.pb.gz -i b.pb.gz | tee got |
		grep -Eqx ' +60.0 % +60.0 % +660  prog      0x1010  alpha' &&
		"$profil" report --by instruction -n 2 -i b.pb.gz -i a.pb.gz |
		tee got | grep -Eqx ' +60.0 % +60.0 % +660  prog      0x1010  alpha'
}

# Text that a program makes is another function at the same address.
made_text() {
	for name in first second; do
		printf 'rate|1000\nmap|[anon]||0x1000|0x2000|0\nsample|7|1:0x1010:%s\n' \
			"$name" | fixture_of "$name.pb.gz"
	done
	"$profil" report --csv -i first.pb.gz -i second.pb.gz -i first.pb.gz |
		tee got | grep -q '^14,14,66.667,66.667,"first"' &&
		grep -q '^7,7,33.333,33.333,"second"' got
}

head_said() {
	small a.pb.gz
	moved b.pb.gz
	status 0 "$profil" report -i a.pb.gz -i b.pb.gz || return 1
	grep -qx 'command: ./prog --fast in.txt' got &&
		grep -qx 'note: and of the command: ./prog --slow' got &&
		grep -qx 'note: the sum of 2 profiles' got &&
		grep -qx 'note: one more' got &&
		grep -q '^recorded: 2023-11-14 22:15:00' got &&
		grep -q '^1100 samples, .*; 1.1 of 61.0 s on a CPU; coverage 98.8 %' got &&
		grep -q '7 unplaced samples.*, 6 lost samples' got || return 1
	status 0 "$profil" report -i a.pb.gz -i a.pb.gz &&
		! grep 'and of' got
}

# The share is one of 10 samples, and the sum has 10,010.
share_said() {
	fixture_of few.pb.gz <<-'END'
	rate|1000
	note|60.0 % in memory that was unmapped
	map|/opt/p|aa|0x1000|0x9000|0
	sample|10|1:0x1010:f|program=p|pid=1
	END
	printf 'rate|1000\nmap|/opt/p|aa|0x1000|0x9000|0\nsample|10000|1:0x1010:f\n' |
		fixture_of many.pb.gz
	for order in "few many" "many few"; do
		# shellcheck disable=SC2086 # a list of words
		set -- $order
		status 0 "$profil" report -i "$1.pb.gz" -i "$2.pb.gz" &&
			grep -qx 'note: of few.pb.gz 60.0 % in memory that was unmapped' got &&
			! grep '^note: 60' got || return 1
	done
	"$profil" export --pprof --process p -i few.pb.gz -o part.pb.gz || return 1
	status 0 "$profil" report -i part.pb.gz -i many.pb.gz &&
		grep -qx 'note: of part.pb.gz of the whole: 60.0 % in memory that was unmapped' got
}

sum_of_sums() {
	small a.pb.gz
	"$profil" export --pprof -i a.pb.gz -i a.pb.gz -o ab.pb.gz &&
		"$profil" export --pprof --process prog -i ab.pb.gz -o part.pb.gz &&
		status 0 "$profil" report -i part.pb.gz -i a.pb.gz &&
		[ "$(grep 'the sum of ' got)" = 'note: the sum of 3 profiles' ] &&
		status 0 "$profil" report -i ab.pb.gz -i a.pb.gz -i ab.pb.gz &&
		[ "$(grep '^note: the sum of ' got)" = 'note: the sum of 5 profiles' ]
}

# A file of another tool may have no time; it is no year 1970 then.
no_time() {
	small a.pb.gz
	printf 'rate|1000\nmap|/opt/prog|aabb|0x401000|0x402000|0\nsample|7|1:0x401010:alpha\n' |
		fixture_of c.pb.gz
	for order in "a c" "c a"; do
		# shellcheck disable=SC2086 # a list of words
		set -- $order
		status 0 "$profil" report --json -i "$1.pb.gz" -i "$2.pb.gz" &&
			grep -o '"time_ns":[0-9]*,"duration_ns":[0-9]*' got >times.got &&
			"$profil" report --json -i a.pb.gz |
			grep -F -f times.got >/dev/null || return 1
	done
}

rates() {
	small a.pb.gz
	printf 'rate|500\nmap|/opt/prog|aabb|0x1000|0x2000|0\nsample|7|1:0x1010:alpha\n' |
		fixture_of c.pb.gz
	says 2 'a.pb.gz has 1000 samples a second of CPU time and c.pb.gz has 500' \
		"$profil" report -i a.pb.gz -i c.pb.gz
}

others() {
	small a.pb.gz
	moved b.pb.gz
	status 0 "$profil" html -i a.pb.gz -i b.pb.gz -o sum.html &&
		grep -q '^1100 samples' sum.html &&
		says 1 'the sum has no samples in a function nothing' \
		"$profil" annotate -i a.pb.gz -i b.pb.gz nothing
}

check "sum_has_the_samples_of_all_files" summed
check "sum_has_the_times_of_all_threads" thread_times
check "sum_has_the_time_off_of_all_files" time_off
check "sum_addresses_of_runs_are_one_row" addresses
check "sum_made_text_keeps_its_functions" made_text
check "sum_head_says_what_is_summed" head_said
check "sum_share_of_one_file_names_it" share_said
check "sum_of_sums_counts_all_profiles" sum_of_sums
check "sum_with_a_file_without_a_time" no_time
check "sum_other_rate_is_refused" rates
check "sum_html_and_annotate_take_several" others
finish
