#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What profil top takes beside a server with 200 workers, as an ordinary user: CPU,
# memory and descriptors.  For a guest whose clock counts instructions; elsewhere
# it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

used() {
	cut -d ' ' -f 1 "/proc/$top/schedstat"
}

# Its numbers after 10 seconds, and of 20 more.
watch_top() {
	start 1000 "$(command -v python3)" "$progs/workers.py" 200
	until [ "$(pgrep -c -P "$started")" -eq 200 ]; do
		sleep 1
	done
	user timeout 20000 "$profil" top --descendants -p "$started" >got 2>errors &
	sleep 10
	top=$(pgrep -u 1000 -x profil)
	before=$(used)
	begin=$(cut -d . -f 1 /proc/uptime)
	sleep 20
	cpu=$(($(used) - before))
	took=$(($(cut -d . -f 1 /proc/uptime) - begin))
	anonymous=$(sed -n 's/^Anonymous: *\([0-9]*\) kB/\1/p' "/proc/$top/smaps_rollup")
	fds=$(find "/proc/$top/fd" -mindepth 1 | wc -l)
	kill "$top"
	pkill -KILL -P "$started"
	stop
	wait
	tail -n 30 got
	cat errors
	echo "$cpu ns of CPU time in $took s, $anonymous KiB, $fds descriptors"
	grep -q ' 20[01] processes' got && [ "$took" -ge 19 ]
}

little_cpu() {
	[ "$cpu" -gt 0 ] && [ $((cpu / took)) -le 30000000 ]
}

little_memory() {
	[ "$anonymous" -gt 0 ] && [ "$anonymous" -le 40960 ]
}

few_descriptors() {
	[ "$fds" -le 1024 ]
}

check "workers_200_are_seen_by_top" watch_top
tail -n 1 check.log | sed 's/^/# /'
check "workers_200_top_takes_3_percent_at_most" little_cpu
check "workers_200_top_takes_40_mib_at_most" little_memory
check "workers_200_top_opens_1024_files_at_most" few_descriptors
finish
