#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --control, --delay and --duration, as an ordinary user: a program burns in
# one function while the recording is on and in another while it is off.  For
# the guest; elsewhere it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# Without the device there is nothing to wait for.
fifos() {
	[ -z "$unable" ] || return 1
	rm -f user/profil.pb.gz* user/in user/out user/ctl user/ack
	mkfifo user/in user/out user/ctl user/ack
	chown 1000:1000 user/in user/out user/ctl user/ack
	exec 5<>user/in 6<>user/out 7<>user/ctl 8<>user/ack
}

# begin COMMAND ARG...: in the background, on the FIFOs; sets begun.
begin() {
	user timeout 100 "$@" <user/in >user/out 2>errors 5>&- 6>&- 7>&- 8>&- &
	begun=$!
}

# ended STATUS PID: that process ends so.
ended() {
	ended_is=0
	wait "$2" || ended_is=$?
	cat errors
	echo "status $ended_is"
	[ "$ended_is" -eq "$1" ]
}

# phase LINE: the program does it, and has.
phase() {
	echo "$1" >&5
	[ "$(timeout 60 head -n 1 <&6)" = "done" ]
}

# tell COMMAND: it is done, and has been.
tell() {
	echo "$1" >&7
	[ "$(timeout 60 head -n 1 <&8)" = ack ]
}

# recorded ON OFF: all was in burn_on, so many samples at least, with those that
# were lost; so many were left out, and within 5 sigma those that are due.
recorded() {
	balanced && [ "$(samples burn_off)" -eq 0 ] &&
		awk -v on="$1" -v off="$2" -v here="$(samples burn_on)" '
			{ book[$1] = $2 }
			END {
				due = book["off_cpu_ns"] / 1e6
				print "on", here, "lost", book["lost"], "off",
					book["off"], "due", due
				exit !(here > 20 && here + book["lost"] >= on &&
				       book["off"] >= off &&
				       (book["off"] - due) ^ 2 < 25 * (due + 4))
			}' books
}

# Four switches; what is unknown is told of, and ends nothing.
commands() {
	fifos || return 1
	begin "$profil" run --delay -1 --control fifo:ctl,ack "$work/phases"
	tell ping && phase "off 300" && tell enable && phase "on 300" &&
		tell disable && phase "off 300" && echo unknown >&7 &&
		tell enable && phase "on 200" && tell disable && tell disable
	commands=$?
	echo "quit 7" >&5
	ended 7 "$begun" && [ $commands -eq 0 ] && recorded 350 500 &&
		grep -q "no command unknown: enable" errors &&
		grep -q "profil: off for " errors
}

# What was seen is due to the CPU time of when it was on, within 5 sigma.
head_says() {
	user "$profil" report >report.txt && cat report.txt &&
		grep -q '^off: for [0-9.]* s, [0-9.]* s of them on a CPU ([0-9]* samples)$' \
			report.txt && balanced &&
		awk '{ book[$1] = $2 }
		     END {
			due = book["cpu_ns"] / 1e6
			off = book["off_cpu_ns"] / 1e6
			print book["seen"], due, book["off"], off
			exit !((book["seen"] - due) ^ 2 < 25 * due &&
			       (book["off"] - off) ^ 2 < 25 * off)
		     }' books
}

# The program runs on, and its status is that of profil.
duration_is_over() {
	fifos || return 1
	begin "$profil" run --delay -1 --duration 2 --control ctl,ack \
		"$work/phases"
	tell enable && phase "on 200"
	duration_is_over=$?
	i=0
	while [ ! -e user/profil.pb.gz ] && [ $i -lt 600 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	phase "off 300" && kill -0 "$begun" || duration_is_over=1
	echo "quit 9" >&5
	ended 9 "$begun" && [ $duration_is_over -eq 0 ] && recorded 120 0
}

delay_is_over() {
	fifos || return 1
	begin "$profil" run --delay 2 "$work/phases"
	phase "off 300" && sleep 3 && phase "on 300"
	delay_is_over=$?
	echo "quit 0" >&5
	ended 0 "$begun" && [ $delay_is_over -eq 0 ] && recorded 200 200
}

never_over() {
	record 0 --delay 100 true && grep -q 'it was off until the end' errors
}

# The commands go to attach, which ends when it is told to.
attached() {
	fifos || return 1
	begin "$work/phases"
	program=$begun
	phase "off 10"
	phases=$(pgrep -n -x phases)
	user timeout 100 "$profil" attach --delay -1 -p "$phases" \
		--control fifo:ctl,ack 2>errors 5>&- 6>&- 7>&- 8>&- & attach=$!
	phase "off 300" && tell ping && phase "off 300" && tell enable &&
		phase "on 300" && tell disable && phase "off 100" && tell stop
	attached=$?
	ended 0 "$attach" || attached=1
	phase "off 100" || attached=1
	echo "quit 3" >&5
	ended 3 "$program" && [ $attached -eq 0 ] && recorded 200 300
}

# With nothing left to follow commands are answered, and the time ends it.
nothing_left() {
	fifos || return 1
	begin "$profil" run --no-follow --control fifo:ctl,ack sh -c \
		"( exec $work/phases ) </dev/stdin; exit 5"
	tell ping && phase "off 200" && tell disable && tell enable
	nothing_left=$?
	echo "quit 0" >&5
	ended 5 "$begun" && [ $nothing_left -eq 0 ]
}

wrong_use() {
	fifos || return 1
	user touch plain
	record 125 --control missing true && grep -q 'missing: .*mkfifo' errors &&
		record 125 --control plain true &&
		grep -q 'plain is not a FIFO: make it by mkfifo' errors &&
		record 125 --control ctl,missing true &&
		record 125 --delay -2 true && record 125 --duration 0 true &&
		record 125 --duration x true
}

build phases phases.c
chmod 755 ./*

check "control_disabled_time_not_recorded_and_told" commands
check "control_head_says_what_was_off" head_says
check "control_duration_ends_the_recording_alone" duration_is_over
check "control_delay_leaves_out_what_was_before" delay_is_over
check "control_delay_longer_than_the_run_is_told" never_over
check "control_attach_enabled_disabled_stopped" attached
check "control_answers_with_nothing_to_follow" nothing_left
check "control_wrong_use_says_what_to_do" wrong_use
finish
