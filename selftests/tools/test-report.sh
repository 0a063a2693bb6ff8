#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil report: its head, its tables, its formats, its lines.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# table ARG...: a report without its head, to be the same as standard input.
table() {
	cat >wanted
	small
	"$profil" report "$@" >whole 2>errors || { cat errors; return 1; }
	sed '1,/^$/d' whole >got
	diff wanted got
}

head_said() {
	small
	"$profil" report >got || return 1
	cat got
	grep -qx 'command: ./prog --fast in.txt' got &&
		grep -Eqx 'recorded: 2023-11-14 22:13:20, [0-9]+ days ago' got &&
		grep -qx '1000 samples, 1000 a second of CPU time; 1.0 of 60.0 s on a CPU; coverage 99.0 %' got &&
		grep -qx 'not seen: 7 unplaced samples (the table was full), 3 lost samples (the machine stood still, or -r is too high), 1 program (set-user-ID)' got &&
		grep -q '^most of the time it waited, .* strace -f -w -c' got &&
		grep -qx 'in system calls: 20.0 %' got &&
		grep -qx 'in page faults and interrupts: 4.0 %' got
}

# time_said CPU_NS TEXT: that of CPU time in 9.7 s on the clock.
time_said() {
	fixture_of cpus.pb.gz <<-END
	rate|1000
	book|cpu_ns|$1
	book|wall_ns|9700000000
	sample|1|0:0x10:alpha|program=p|pid=1|kind=user
	END
	"$profil" report -i cpus.pb.gz | tee got | grep -q "; $2; coverage"
}

# Two CPUs give two seconds of CPU time a second, and one that is busy gives one
# by a clock that runs a little faster.
cpus_said() {
	time_said 10500000000 '10.5 s on several CPUs in 9.7 s' &&
		time_said 9703000000 '9.7 of 9.7 s on a CPU'
}

off_all_said() {
	fixture_of off.pb.gz <<-END
	rate|1000
	book|off|100
	book|off_wall_ns|2000000000
	END
	"$profil" report -i off.pb.gz | tee got |
		grep -q '^it was off until the end: --delay' || return 1
	small
	! "$profil" report | grep 'off until'
}

by_function() {
	table <<-'END'
	    self    total   samples  object     function
	  70.0 %   74.0 %       700  prog       alpha
	  20.0 %   20.0 %       200  [kernel]   [system call] read
	   6.0 %    6.0 %        60  libx.so.1  [libx.so.1: no symbol]
	   4.0 %    4.0 %        40  [kernel]   [page fault or interrupt]
	   0.0 %   20.0 %         0  libx.so.1  read
	   0.0 %    4.0 %         0  prog       beta
	END
}

by_line() {
	table --by line <<-'END'
	    self    total   samples  object     line
	  70.0 %   70.0 %       700  prog       alpha
	  20.0 %   20.0 %       200  [kernel]   [system call] read
	   6.0 %    6.0 %        60  libx.so.1  [libx.so.1: no symbol]
	   4.0 %    4.0 %        40  [kernel]   [page fault or interrupt]
	   0.0 %   20.0 %         0  libx.so.1  read
	   0.0 %    4.0 %         0  prog       alpha.c:70  alpha
	   0.0 %    4.0 %         0  prog       beta.c:7  beta
	END
}

by_instruction() {
	table --by instruction -n 3 <<-'END'
	    self    total   samples  object    instruction
	  60.0 %   60.0 %       600  prog      0x1010  alpha
	  20.0 %   20.0 %       200  [kernel]  [system call] read
	  10.0 %   10.0 %       100  prog      0x1020  alpha
	4 more rows with 10.0 % are shown by -n 0
	END
}

by_object() {
	table --by object <<-'END'
	    self    total   samples  object
	  70.0 %   74.0 %       700  /opt/prog
	  24.0 %   24.0 %       240  [kernel]
	   6.0 %   26.0 %        60  /lib/libx.so.1
	END
}

by_process() {
	table --by process <<-'END'
	    self   samples  process
	  90.0 %       900  prog (10)
	  10.0 %       100  prog (11)
	END
}

by_thread() {
	table --by thread <<-'END'
	    self   samples  thread
	  90.0 %       900  prog (10) of prog
	  10.0 %       100  work (12) of prog
	END
}

# Threads of a pool, one of which got its name late, one whose wait was read
# early, one whose wait was never read, and one without a sample.
threads() {
	fixture_of profil.pb.gz <<-'END'
	rate|1000
	map|/opt/prog|aabb|0x1000|0x2000|0
	sample|500|1:0x1010:alpha|program=prog|pid=10|thread=prog|tid=11|kind=user
	sample|200|1:0x1010:alpha|program=prog|pid=10|thread=pool worker|tid=11|kind=user
	sample|200|1:0x1010:alpha|program=prog|pid=10|thread=pool worker|tid=12|kind=user
	sample|100|1:0x1010:alpha|program=other|pid=20|thread=other|tid=20|kind=user
	thread|10 11 702000000 50000000 702000000 11:pool worker prog
	thread|10 12 201000000 1500000000 90000000 11:pool worker prog
	thread|20 20 100000000 0 0 5:other other
	thread|10 13 2000000 9000000000 2000000 7:waiting prog
	END
}

by_thread_times() {
	threads
	"$profil" report --by thread >whole || return 1
	sed '1,/^$/d' whole >got
	diff - got <<-'END'
	    self   samples        cpu    queued  thread
	  70.0 %       700     0.70 s    0.05 s  pool worker (11) of prog
	  20.0 %       200     0.20 s   >1.50 s  pool worker (12) of prog
	  10.0 %       100     0.10 s         -  other (20) of other
	   0.0 %         0     0.00 s    9.00 s  waiting (13) of prog
	END
}

by_thread_name() {
	threads
	"$profil" report --by thread-name >whole || return 1
	sed '1,/^$/d' whole >got
	diff - got <<-'END'
	    self   samples        cpu    queued  thread-name
	  90.0 %       900     0.90 s   >1.55 s  pool worker
	  10.0 %       100     0.10 s         -  other
	   0.0 %         0     0.00 s    9.00 s  waiting
	END
}

by_cgroup() {
	fixture_of profil.pb.gz <<-'END'
	rate|1000
	map|/opt/prog|aabb|0x1000|0x2000|0
	sample|500|1:0x1010:alpha|program=prog|pid=10|cgroup=/docker/71af|kind=user
	sample|200|1:0x1010:alpha|program=prog|pid=11|cgroup=/docker/71af|kind=user
	sample|200|1:0x1010:alpha|program=prog|pid=12|cgroup=/docker/0e2c|kind=user
	sample|100|1:0x1010:alpha|program=other|pid=20|kind=user
	END
	"$profil" report --by cgroup | sed '1,/^$/d' >got
	diff - got <<-'END'
	    self   samples  cgroup
	  70.0 %       700  /docker/71af
	  20.0 %       200  /docker/0e2c
	  10.0 %       100  [that of profil, or not known]
	END
}

# Each for itself, with the numbers of the file.
threads_for_programs() {
	threads
	"$profil" report --by thread --csv >csv &&
		"$profil" report --by thread-name --json >json || return 1
	python3 - <<-'END'
	import csv, json
	rows = {r["id"]: r for r in csv.DictReader(open("csv", newline=""))}
	assert rows["12"]["wait_ns"] == "1500000000", rows
	assert rows["12"]["wait_read_ns"] == "90000000", rows
	assert rows["20"]["wait_read_ns"] == "0", rows
	rows = {r["name"]: r for r in json.load(open("json"))["rows"]}
	assert rows["pool worker"]["cpu_ns"] == 903000000, rows
	assert rows["pool worker"]["self"] == 900, rows
	END
}

# What no recorder writes is a comment, and no number is taken from it.
threads_damaged() {
	fixture_of d.pb.gz <<-'END'
	rate|1
	sample|5|0:0x10:alpha|program=p|pid=1|tid=1|kind=user
	thread|1 1 1000000000 0 0 99:p p
	thread|1 1 1000000000 0 0 1:p
	thread|1 1 99999999999999999999 0 0 1:p p
	thread|1 1 x
	END
	"$profil" report --by thread -i d.pb.gz >got || return 1
	cat got
	grep -qx ' 100.0 %         5  p (1) of p' got
}

# Of a path alpha < mid < alpha, alpha's total counts each sample once.
recursion() {
	fixture_of r.pb.gz <<-'END'
	rate|100
	map|/opt/prog|aa|0x1000|0x2000|0
	sample|10|1:0x1010:alpha;1:0x1020:mid;1:0x1030:alpha
	END
	"$profil" report -i r.pb.gz | grep -qx ' 100.0 %  100.0 %        10  prog    alpha' &&
		"$profil" report -i r.pb.gz | grep -qx '   0.0 %  100.0 %         0  prog    mid'
}

json() {
	small
	"$profil" report --json >json || return 1
	python3 - <<-'END'
	import json
	p = json.load(open("json"))
	assert p["command"] == "./prog --fast in.txt", p
	assert p["books"]["unplaced"] == 7 and p["samples"] == 1000
	assert p["rows"][0]["name"] == "alpha" and p["rows"][0]["self"] == 700
	assert sum(r["self"] for r in p["rows"]) == 1000
	END
}

csv() {
	small
	"$profil" report --csv --by line >csv || return 1
	python3 - <<-'END'
	import csv
	rows = list(csv.DictReader(open("csv", newline="")))
	assert sum(int(r["self"]) for r in rows) == 1000
	assert [r for r in rows if r["file"] == "beta.c" and r["line"] == "7"]
	END
}

# Names that would move the cursor, change a title, break a line or a format.
hostile() {
	printf 'command\t\033]0;owned\007x\nrate\t1\n' >lines
	printf 'map\t/o\033[2J"\tz\t0\t0x9000\t0\n' >>lines
	printf 'sample\t5\t1:0x10:ev\033[31mil\302\233\342\200\256",\\</script>\377\n' >>lines
	./fixture h.pb.gz <lines >/dev/null
	for how in --by=function --by=object --csv --json; do
		"$profil" report "$how" -i h.pb.gz >got 2>&1 || return 1
		cat -v got
		# Nothing but printable ASCII and ends of lines.
		[ -z "$(LC_ALL=C tr -d '\n\040-\176' <got)" ] || return 1
	done
	python3 -c 'import json; json.load(open("got"))' &&
		! grep -q '</script>' got
}

width() {
	printf 'rate\t1\nmap\t/opt/a\t\t0\t0x9000\t0\nsample\t5\t1:0x10:%0200d\n' 7 |
		./fixture w.pb.gz >/dev/null
	on_terminal 60 "$profil report -i w.pb.gz" >text || return 1
	cat text
	sed '1,/^$/d' text >rows
	[ "$(awk 'length > 60' rows | wc -l)" = 0 ] && grep -q '###' rows &&
		grep -q '0\.\.\.$' rows &&
		"$profil" report -i w.pb.gz | grep -q 0007
}

colors() {
	small
	e=$(printf '\033')
	on_terminal 80 "$profil report" >/dev/null && grep -q "$e\[1;31m" lines &&
		NO_COLOR=1 on_terminal 80 "$profil report" >/dev/null &&
		! grep -q "$e" lines &&
		on_terminal 80 "$profil report --color=never" >/dev/null &&
		! grep -q "$e" lines &&
		! "$profil" report | grep -q "$e" &&
		"$profil" report --color=always | grep -q "$e\[1;31m"
}

wrong() {
	small
	says 2 '^profil: --by is function' "$profil" report --by color &&
		says 2 '--by object looks no names up' \
			"$profil" report --by object --debug-dir . &&
		says 2 'is a number, not many' "$profil" report -n many &&
		says 2 'is a number, not 99' "$profil" report -n 99999999999999999999 &&
		says 2 'name the profile with -i' "$profil" report x.pb.gz &&
		says 2 'did you mean profil run ./fixture' "$profil" ./fixture &&
		status 2 "$profil" report --nonsense
}

unwritten() {
	small
	says 2 "can't be written" sh -c "$profil report >/dev/full" &&
		says 2 "can't be written" sh -c "$profil report --help >/dev/full" &&
		says 2 "can't be written" sh -c "$profil -V >/dev/full"
}

inlined() {
	hot_profile "$@" || return 1
	"$profil" report -i hot.pb.gz >got && cat got || return 1
	grep -Eqx ' +90.0 % +90.0 % +90  hot     inner' got &&
		grep -Eqx ' +0.0 % +90.0 % +0  hot     outer' got &&
		grep -Eqx ' +10.0 % +10.0 % +10  hot     cold' got || return 1
	"$profil" report --by line -i hot.pb.gz >got && cat got
	sed -n 's/^.*hot.c:\([0-9]*\)$/\1/p' chain >judge
	inner=$(sed -n 1p judge)
	outer=$(sed -n 2p judge)
	grep -Eqx " +90.0 % +90.0 % +90  hot     hot.c:$inner  inner" got &&
		grep -Eqx " +0.0 % +90.0 % +0  hot     hot.c:$outer  outer" got
}

# A nested function was not called by the one whose text it stands in.
nested() {
	gcc -g -O0 -Wl,--build-id=sha1 -o nested "$here/prog/nested.c" || return 1
	id=$(readelf -n nested | sed -n 's/ *Build ID: //p')
	nm nested | awk -v map="map|$work/nested|$id|0|0x9000|0" '
		BEGIN { print "rate|1"; print map }
		$3 ~ /^nested/ { print "sample|5|1:0x" $1 ":" $3 }
		$3 == "main" { print "sample|15|1:0x" $1 ":" $3 }' |
		fixture_of n.pb.gz
	"$profil" report -i n.pb.gz >got || return 1
	cat got
	grep -Eqx ' +25.0 % +25.0 % +5  nested  nested[.][0-9]+' got &&
		grep -Eqx ' +75.0 % +75.0 % +15  nested  main' got
}

replaced() {
	hot_profile || return 1
	echo 'int main(void) { return 7; }' | gcc -g -O1 -Wl,--build-id=sha1 \
		-o hot -x c - || return 1
	"$profil" report -i hot.pb.gz >got 2>errors || return 1
	cat got errors
	grep -q 'hot is not the file that ran' errors && grep -q 'outer$' got &&
		! grep -q inner got && ! grep -q main got
}

long_command() {
	many=$(seq -s ' ' 1 400)
	printf 'command|./prog %s\nrate|1000\nmap|/opt/prog|aabb|0x401000|0x402000|0x1000\nsample|6|1:0x401010:alpha\n' \
		"$many" | fixture_of long.pb.gz && status 0 "$profil" report -i long.pb.gz &&
		grep '^command: ./prog 1 2 .* \.\.\. ([0-9]* bytes)$' got &&
		! awk 'length > 240' got | grep .
}

# hinted PATTERN NAME COUNT PATH: a note, if so many of 100 are in that function.
hinted() {
	printf 'rate|1000\nmap|%s|aa|0x1000|0x9000|0\nmap|/x|bb|0x1000|0x2000|0\nsample|%s|1:0x1010:%s\nsample|%s|2:0x1010:main\n' \
		"$4" "$3" "$2" "$((100 - $3))" | fixture_of hint.pb.gz
	"$profil" report --no-lines -i hint.pb.gz >got || return 1
	cat got
	case $1 in
	nothing) ! grep -q '^note:' got ;;
	*) grep -q "^note: $1" got ;;
	esac
}

hints() {
	hinted nothing apply 90 /opt/app &&
		hinted 'python3.11 runs a script: .* py-spy' eval 50 \
			/usr/bin/python3.11 &&
		hinted nothing eval 49 /usr/bin/python3.11 &&
		hinted '30.0 % are in code that a program made' '[anonymous]' \
			30 '[anonymous]' &&
		hinted nothing made_loop 30 '[anonymous]'
}

# A name too wide for its column keeps the function's own.
long_names() {
	tr '|' '\t' <<-'END' | ./fixture long.pb.gz >/dev/null
	rate|1
	map|/o|aa|0x1000|0x9000|0
	sample|9|1:0x1010:std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_assign(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)
	sample|8|1:0x1020:std::map<std::vector<int>, long, std::less<int> >::operator<(std::map<std::vector<int>, long> const&) const
	sample|7|1:0x1030:(anonymous namespace)::a_function_of_a_file_with_a_name_that_is_long::inside_of_it()
	sample|6|1:0x1040:<alloc::vec::Vec<alloc::string::String> as core::iter::FromIterator<alloc::string::String> >::from_iter
	sample|5|1:0x1050:short_name(std::vector<int>)
	sample|4|1:0x1060:main.(*Tree).a_method_of_go_that_has_a_long_name_too_and_does_not_fit_in_a_line
	END
	on_terminal 80 "$profil report -i long.pb.gz --color=never" >/dev/null
	cat lines
	grep -q ' \.\.\.::_M_assign(\.\.\.)$' lines &&
		grep -q ' \.\.\.::operator<(\.\.\.) const$' lines &&
		grep -q ' \.\.\.::inside_of_it()$' lines &&
		grep -q ' \.\.\.::from_iter$' lines &&
		grep -q ' short_name(std::vector<int>)$' lines &&
		grep -q ' main\.(\*Tree)\.a_method_of_go.*\.\.\.$' lines &&
		! awk 'length > 80' lines | grep . || return 1
	on_terminal 110 "$profil report -i long.pb.gz --color=never" >/dev/null
	cat lines
	grep -q ' std::__cxx11::basic_string<\.\.\.>::_M_assign(\.\.\.)$' lines &&
		grep -q ' std::map<\.\.\.>::operator<(\.\.\.) const$' lines &&
		grep -q ' \.\.\.::inside_of_it()$' lines
}

check "report_head_says_run_and_what_is_missed" head_said
check "report_notes_say_how_to_get_more_names" hints
check "report_head_shortens_a_long_command" long_command
check "report_head_says_of_several_cpus" cpus_said
check "report_head_says_off_until_the_end" off_all_said
check "report_by_function_kernel_apart" by_function
check "report_by_line" by_line
check "report_by_instruction_and_limit" by_instruction
check "report_by_object" by_object
check "report_by_process" by_process
check "report_by_thread" by_thread
check "report_by_cgroup" by_cgroup
check "report_by_thread_has_cpu_and_wait" by_thread_times
check "report_by_thread_name_adds_a_pool_up" by_thread_name
check "report_thread_times_for_programs" threads_for_programs
check "report_damaged_thread_times_are_no_times" threads_damaged
check "report_recursion_total_counts_once" recursion
check "report_json_is_read_by_python" json
check "report_csv_is_read_by_python" csv
check "report_hostile_names_printed_safely" hostile
check "report_terminal_width_kept_pipe_whole" width
check "report_colors_by_terminal_and_option" colors
check "report_wrong_use_status_2" wrong
check "report_output_full_status_2" unwritten
check "report_inlined_function_has_its_line" inlined
check "report_inlined_dwarf4_has_its_line" inlined -gdwarf-4
check "report_inlined_split_dwarf_has_its_line" inlined -gsplit-dwarf
check "report_nested_function_stands_alone" nested
check "report_object_replaced_no_new_names" replaced
check "report_long_names_lose_their_middle" long_names
finish
