#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# PROFIL_RATE on /dev/profil: files with their true rate, and what is told where
# it can't be had.  For the guest.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
. "$here/../tool.sh"
PROFIL_BACKEND=kernel
export PROFIL_BACKEND

linked() {
	build "$@" -Wno-strict-prototypes -L"$PROFIL_LIB_DIR" -lprofil \
		-Wl,-rpath,"$PROFIL_LIB_DIR"
}

# CPU seconds of the command, in hundredths, into the file cpu.
timed() {
	# shellcheck disable=SC2016 # for the shell that runs it
	sh -c '"$@" && times' sh "$@" >timed.out 2>errors || return 1
	cat errors
	awk -F '[ms ]' 'END { print int(100 * (60 * $1 + $2 + 60 * $4 + $5)) }' \
		timed.out >cpu
}

# near FILE: the seconds of the profile there are those that were measured, less
# what was lost on a machine that is slow.
near() {
	awk 'FILENAME == "cpu" { cpu = $1 / 100; next }
	     FILENAME == "errors" { if (/samples lost/) cpu *= 1 - $2 / $4; next }
	     $1 ~ /^[0-9.]+$/ && $2 > sum { sum = $2 }
	     END { print sum, "of", cpu
		   exit !(cpu > 0.2 && sum > cpu / 2 && sum < cpu * 1.5) }' \
		cpu errors "$1"
}

gprof_has_seconds() {
	rm -f gmon.out
	PROFIL_RATE=$1 timed ./spin 1000 ticks || return 1
	gprof -p spin gmon.out >gprof.out
	head -5 gprof.out
	grep -q "Each sample counts as $2 seconds" gprof.out && near gprof.out
}

prof_has_seconds() {
	"$prof" -m gmon.out spin >prof.out
	cat prof.out
	near prof.out
}

monitor_has_seconds() {
	rm -f mon.out
	PROFIL_RATE=1000 timed ./shares || return 1
	"$prof" -m mon.out shares >prof.out
	cat prof.out
	grep -q ' 1000$' errors && near prof.out
}

sprofil_tells_the_rate() {
	PROFIL_RATE=500 ./period >said && cat said && [ "$(cat said)" = 2000 ] &&
		PROFIL_RATE=1 ./period >said && cat said &&
		[ "$(cat said)" = 1000000 ]
}

child_has_the_rate() {
	rm -rf gmon.*
	PROFIL_RATE=1000 GMON_OUT_PREFIX=gmon ./spin 1000 ticks || return 1
	gprof -p spin "$(echo gmon.[0-9]*)" >gprof.out
	grep -q "Each sample counts as 0.001 seconds" gprof.out
}

# told RATE TEXT: the program runs as ever, by the tick, and one line says so.
told() {
	rm -f gmon.out
	PROFIL_RATE=$1 ./spin 1000 >said 2>errors || return 1
	cat said errors
	gprof -p spin gmon.out >gprof.out
	grep "Each sample counts" gprof.out
	[ "$(wc -l <errors)" -eq 1 ] && grep -q "$2" errors &&
		grep -q "counts as 0.004 seconds" gprof.out
}

untold() {
	rm -f gmon.out
	PROFIL_RATE='' ./spin 1000 >said 2>errors && [ ! -s errors ]
}

told_without_the_kernel() {
	PROFIL_RATE=1000 PROFIL_BACKEND=libc ./spin 1000 >said 2>errors
	cat said errors
	[ "$(wc -l <errors)" -eq 1 ] && grep -q "only the kernel has rates" errors
}

told_of_rights_given_up() {
	chmod 777 .
	rm -f gmon.out
	PROFIL_RATE=50000 ./dropped >said 2>errors || return 1
	cat said errors
	[ "$(cat said)" = "50000 250" ] && [ "$(wc -l <errors)" -eq 1 ] &&
		grep -q "PROFIL_RATE=50000: no longer allowed" errors
}

# one_rate SECONDS-FILE ARG...: what came before is whole, nothing comes after.
one_rate() {
	chmod 777 .
	rm -f gmon.out mon.out
	PROFIL_RATE=20000 ./rate_drop "$@" >said 2>errors || return 1
	cat said errors
	[ "$(grep -c "no samples from here on: .* 20000 .* 250 would" errors)" = 1 ]
}

# Half a second of CPU time, two more, and what is lost on a slow machine.
half_a_second() {
	awk '/samples lost/ { lost = $2 / $4 }
	     $1 ~ /^[0-9.]+$/ && $2 > sum { sum = $2 }
	     END { print sum, "seconds, lost", lost
		   exit !(sum > 0.25 * (1 - lost) && sum < 0.75) }' errors "$1"
}

one_rate_of_gprof() {
	one_rate && gprof -p rate_drop gmon.out >gprof.out || return 1
	head -5 gprof.out
	grep -q "Each sample counts as 5e-05 seconds" gprof.out &&
		half_a_second gprof.out
}

one_rate_of_monitor() {
	one_rate monitor && "$prof" -m mon.out rate_drop >prof.out || return 1
	cat prof.out
	half_a_second prof.out
}

linked rate_drop rate_drop.c -pg
linked spin spin.c -pg
linked shares shares.c -p
linked period period.c
linked dropped dropped.c
check "-pg: gprof has the seconds of 1000 a second" \
	gprof_has_seconds 1000 0.001
check "-pg: prof has them as well" prof_has_seconds
check "-pg: gprof has the seconds of 200 a second" gprof_has_seconds 200 0.005
check "monitor: prof has the seconds of 1000 a second" monitor_has_seconds
check "sprofil() tells the time between two samples" sprofil_tells_the_rate
check "GMON_OUT_PREFIX: the file has the rate" child_has_the_rate
for rate in fast 0 -5 1000x 0x10 18446744073709552616; do
	check "PROFIL_RATE=$rate is told" told "$rate" "PROFIL_RATE=$rate: "
done
check "PROFIL_RATE=100001 is told" told 100001 "at most 100000"
check "an empty PROFIL_RATE is none" untold
check "a rate without the kernel is told" told_without_the_kernel
check "a rate that is no longer allowed is told" told_of_rights_given_up
check "-pg: a file has samples of one rate" one_rate_of_gprof
check "monitor: a file has samples of one rate" one_rate_of_monitor
finish
