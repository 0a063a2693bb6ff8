#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil report: its tables, by each key, whole and with the times of threads.
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
finish
