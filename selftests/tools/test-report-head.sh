#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil report: what its head and its notes say before the table.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

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

check "report_head_says_run_and_what_is_missed" head_said
check "report_notes_say_how_to_get_more_names" hints
check "report_head_shortens_a_long_command" long_command
check "report_head_says_of_several_cpus" cpus_said
check "report_head_says_off_until_the_end" off_all_said
finish
