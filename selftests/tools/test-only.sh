#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# One process, thread or cgroup of a profile alone.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# Two processes of one program, and two other programs.  Thread 12 changed its name.
several() {
	fixture_of "${1:-profil.pb.gz}" <<-'END'
	command|make
	rate|1000
	time|1700000000
	book|seen|1003
	book|counted|1000
	book|lost|3
	book|wall_ns|60000000000
	book|cpu_ns|1010000000
	map|/opt/prog|aabb|0x401000|0x402000|0x1000
	map|/opt/secret|ccdd|0x501000|0x502000|0x1000
	note|5.0 % in memory that was unmapped
	sample|500|1:0x401010:alpha|program=prog|pid=10|thread=prog|tid=10|cgroup=/a|kind=user
	sample|200|1:0x401020:beta|program=prog|pid=10|thread=early|tid=12|cgroup=/a|kind=user
	sample|160|1:0x401010:alpha|program=prog|pid=20|thread=prog|tid=20|cgroup=/b|kind=user
	sample|100|2:0x501030:gamma|program=other|pid=30|thread=other|tid=30|kind=user
	sample|40|2:0x501030:gamma|program=last|pid=31|kind=user
	thread|10 10 500000000 1000000 500000000 4:prog prog
	thread|10 12 200000000 2000000 200000000 4:late prog
	thread|10 13 2000000 900000000 2000000 7:waiting prog
	thread|20 20 160000000 0 160000000 4:prog prog
	END
}

# rows_are WANTED ARG...: each row of the report is "samples function;" in WANTED.
rows_are() {
	rows_wanted=$1
	shift
	several
	status 0 "$profil" report --no-lines --csv "$@" || return 1
	sed '1d' got | awk -F, '{ gsub(/"/, "", $5); printf "%s %s;", $1, $5 }' >rows
	cat rows
	[ "$(cat rows)" = "$rows_wanted" ]
}

by_program() {
	rows_are "660 alpha;200 beta;" --process prog &&
		rows_are "100 gamma;" --process other
}

by_pid() {
	rows_are "500 alpha;200 beta;" --process 10 &&
		rows_are "160 alpha;" --process 20
}

# A thread has the last name that it had, as --by thread shows it.
by_thread() {
	rows_are "200 beta;" --thread late && rows_are "200 beta;" --thread 12 &&
		says 1 'no samples of thread early' "$profil" report --thread early
}

# A thread without samples has times.
by_thread_without_samples() {
	several
	status 0 "$profil" report --by thread --thread waiting || return 1
	grep -q '0.90 s  waiting (13) of prog$' got && [ "$(grep -c ' of prog' got)" = 1 ] &&
		status 0 "$profil" report --thread waiting &&
		grep -q '^note: only thread waiting has times and no samples: --by thread' got
}

by_cgroup() {
	rows_are "500 alpha;200 beta;" --cgroup /a &&
		rows_are "140 gamma;" --cgroup "[that of profil, or not known]"
}

both() {
	rows_are "500 alpha;" --process prog --cgroup /a --thread prog
}

head_said() {
	several
	status 0 "$profil" report --process prog || return 1
	grep -qx '860 samples, 1000 a second of CPU time' got &&
		grep -qx 'note: only process prog: 860 of 1000 samples; CPU time and lost samples are known only of the whole recording' got &&
		grep -qx 'note: of the whole: 5.0 % in memory that was unmapped' got &&
		! grep -qE 'coverage|on a CPU|not seen: ' got || return 1
	status 0 "$profil" report --json --process prog &&
		grep -q '"only":"process prog","wall_ns":null,"cpu_ns":null,"books":null' got
}

# The profile has call paths, but the process has none yet.
without_paths() {
	fixture_of early.pb.gz <<-'END'
	rate|1000
	sample|15|0:0x10:alpha|program=short|pid=1
	sample|85|0:0x10:alpha;0:0x20:main|program=long|pid=2|path=whole
	END
	status 0 "$profil" report -i early.pb.gz --tree --process short &&
		grep -q '\[no path\]' got &&
		status 0 "$profil" report -i early.pb.gz --callers alpha \
			--process short
}

# A thread without samples is shown, but not with --cgroup.
thread_times() {
	several
	status 0 "$profil" report --by thread --process 10 || return 1
	[ "$(grep -cE ' (prog|late|waiting) \(1[023]\) of prog' got)" = 3 ] &&
		[ "$(grep -c ' of prog' got)" = 3 ] || return 1
	status 0 "$profil" report --by thread --cgroup /a || return 1
	[ "$(grep -cE ' (prog|late) \(1[02]\) of prog' got)" = 2 ] &&
		[ "$(grep -c ' of prog' got)" = 2 ]
}

refused() {
	several
	says 1 'no samples of process nix; profil report --by process lists' \
		"$profil" report --process nix &&
		says 1 'no sample that fits all of this: process other, cgroup /a' \
			"$profil" report --process other --cgroup /a &&
		says 1 'process other in profil.pb.gz has no samples in a function beta' \
			"$profil" annotate --process other beta &&
		says 2 '^profil: --cgroup which?' "$profil" report --cgroup "" &&
		says 2 '^profil: --thread takes one value' \
			"$profil" html --thread a --thread b
}

# The sum is made first.
summed() {
	several a.pb.gz
	several b.pb.gz
	rows_are "400 beta;" -i a.pb.gz -i b.pb.gz --thread late &&
		status 0 "$profil" report -i a.pb.gz -i b.pb.gz --process other &&
		grep -q 'only process other: 200 of 2000 samples' got
}

exported() {
	several
	"$profil" export --folded --process 10 >got || return 1
	cat got
	[ "$(awk '{ sum += $NF } END { print sum }' got)" = 700 ] || return 1
	"$profil" export --pprof-names --thread late -o late.pb.gz &&
		rows_are "200 beta;" -i late.pb.gz &&
		"$profil" export --pprof --thread late -o late.pb.gz &&
		status 0 "$profil" report -i late.pb.gz --thread late || return 1
	# The file may be given away, so nothing of other processes is in it.
	"$profil" export --pprof-names --process 10 -o given.pb.gz || return 1
	zcat given.pb.gz | strings >got
	cat got
	grep -q beta got &&
		! grep -qE 'secret|gamma|other|last|^thread: 20|lost: 3' got || return 1
	fixture_of cmd.pb.gz <<-'END'
	command|./tool --password=x
	rate|1000
	sample|10|0:0x10:delta|program=tool|pid=77
	END
	"$profil" export --pprof-names --process 10 -i profil.pb.gz -i cmd.pb.gz \
		-o given.pb.gz || return 1
	zcat given.pb.gz | strings | tee got
	! grep -q password got
}

# Where a format has no place for it, the command says it.
export_says_so() {
	several
	"$profil" export --callgrind --process 10 >got &&
		grep -qx 'desc: Only: process 10' got &&
		"$profil" export --speedscope --process 10 >got &&
		grep -q '"name":"make, only process 10"' got || return 1
	"$profil" export --folded --process 10 -o out 2>errors &&
		grep -q 'only process 10 is in it' errors &&
		"$profil" export --folded -o out 2>errors && [ ! -s errors ]
}

# An export of a part is a part too, whoever reads it.
from_file() {
	several
	for format in pprof pprof-names; do
		"$profil" export --$format --process 10 -o part.pb.gz &&
			"$profil" export --callgrind -i part.pb.gz >got &&
			grep -qx 'desc: Only: process 10' got || return 1
	done
	"$profil" export --folded -i part.pb.gz -o out 2>errors &&
		grep -q 'only process 10 is in it' errors || return 1
	"$profil" export --callgrind -i part.pb.gz --thread late >got &&
		grep -qx 'desc: Only: process 10, thread late' got || return 1
	"$profil" export --callgrind -i part.pb.gz -i profil.pb.gz >got &&
		! grep Only: got || return 1
	status 1 "$profil" diff --base part.pb.gz --new profil.pb.gz &&
		grep -qx 'of base only process 10' got &&
		! grep 'both sides' got || return 1
	status 1 "$profil" diff --json --base profil.pb.gz --new part.pb.gz &&
		grep -q '"new":{"only":"process 10","command"' got
}

# A 0 would say that nothing was lost.
from_file_without_samples() {
	several
	"$profil" export --pprof-names --thread waiting -o part.pb.gz &&
		status 0 "$profil" report --json -i part.pb.gz &&
		grep -q '"only":"thread waiting","wall_ns":null,"cpu_ns":null,"books":null' got
}

# Other readers take the first object for the program.
objects_stay() {
	fixture_of lib.pb.gz <<-'END'
	rate|1000
	map|/opt/prog|aabb|0x401000|0x402000|0x1000
	map|/opt/lib|ccdd|0x501000|0x502000|0x1000
	sample|10|2:0x501010:alpha|program=prog|pid=1
	END
	"$profil" export --pprof -i lib.pb.gz -o bare.pb.gz || return 1
	zcat bare.pb.gz | strings | tee got
	grep -q /opt/prog got
}

# A profile and an exported part of it are summed.
summed_with_part() {
	several
	"$profil" export --pprof-names --process 10 -o part.pb.gz &&
		status 0 "$profil" report -i part.pb.gz -i profil.pb.gz || return 1
	grep -q '^1700 samples' got && ! grep -q coverage got &&
		grep -qx 'note: CPU time and lost samples are not known of all profiles' got &&
		grep -q '^note: of part.pb.gz only process 10: 700 of 1000 samples' got ||
		return 1
	status 0 "$profil" report -i part.pb.gz --thread late &&
		! grep 'whole: of the' got
}

pictured() {
	several
	"$profil" html --process other -o o.html || return 1
	python3 - <<-'END'
	import base64, re, zlib
	page = open("o.html").read()
	data = max(re.findall(r"[A-Za-z0-9+/=]{40,}", page), key=len)
	text = zlib.decompress(base64.b64decode(data), 47).decode()
	print(text)
	assert "gamma" in text and "beta" not in text
	END
}

annotated() {
	hot_profile || return 1
	status 0 "$profil" annotate -i hot.pb.gz --process "[unknown]" inner &&
		says 1 'no samples of process cold' \
			"$profil" annotate -i hot.pb.gz --process cold inner
}

# The status is 2, because 1 says that something has changed.
compared() {
	several a.pb.gz
	several b.pb.gz
	status 0 "$profil" diff --csv --base a.pb.gz --new b.pb.gz --process 10 &&
		grep -q '"beta"' got && ! grep -q '"gamma"' got || return 1
	status 0 "$profil" diff --base a.pb.gz --new b.pb.gz --process prog &&
		grep -qx 'of both sides only process prog' got || return 1
	status 0 "$profil" diff --json --base a.pb.gz --new b.pb.gz \
		--process prog && grep -q '^{"only":"process prog","base"' got &&
		grep -q '"cpu_ns":null' got &&
		says 2 'no samples of process nix' "$profil" diff --base a.pb.gz \
			--new b.pb.gz --process nix
}

many_objects() {
	{
		echo 'rate|1000'
		seq 400000 | sed 's/.*/map|\/opt\/&|&|0x1000|0x2000|0/'
		seq 400000 | sed 's/.*/sample|1|&:0x1000:f|program=prog|pid=1/'
	} | fixture_of objects.pb.gz
	timeout 60 "$profil" report -i objects.pb.gz --no-lines --csv \
		--by object --process 1 >got || return 1
	[ "$(wc -l <got)" = 400001 ]
}

check "only_a_program_by_its_name" by_program
check "only_a_process_by_its_pid" by_pid
check "only_a_thread_by_name_or_number" by_thread
check "only_a_thread_that_has_times_alone" by_thread_without_samples
check "only_a_cgroup" by_cgroup
check "only_what_fits_each_option" both
check "only_the_head_tells_of_how_many" head_said
check "only_a_process_without_paths" without_paths
check "only_times_of_the_threads_that_fit" thread_times
check "only_what_there_is_and_once" refused
check "only_of_the_sum_of_profiles" summed
check "only_in_an_export" exported
check "only_a_part_each_export_says_so" export_says_so
check "only_a_part_is_one_in_its_file_too" from_file
check "only_a_part_of_times_has_no_books" from_file_without_samples
check "export_without_names_has_all_objects" objects_stay
check "only_a_part_beside_the_whole" summed_with_part
check "only_in_a_picture" pictured
check "only_in_annotate" annotated
check "only_in_a_comparison" compared
check "only_of_many_objects_ends_in_time" many_objects
finish
