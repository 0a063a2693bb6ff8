#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil top, as an ordinary user: its tables, its terminal, its bounds.  For the
# guest; elsewhere it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# top STATUS ARG...: ends with the status; got has its tables.
top() {
	top_wanted=$1
	shift
	top_is=0
	user timeout 100 "$profil" top "$@" >got 2>errors || top_is=$?
	cat got errors
	[ "$top_is" -eq "$top_wanted" ]
}

# The tables' samples are those that the kernel counted, and so are their rows.
books_balance() {
	books=$(sed -n 's/.* tables of \([0-9]*\) samples$/\1/p' errors)
	awk -v books="$books" '
		/ samples in .* CPUs/ {
			sub(/ samples in .*/, ""); sub(/.*: /, ""); all += $0
		}
		$2 == "%" && $4 == "%" { rows += $5 }
		/ more rows with [0-9]* samples$/ { rows += $5 }
		END { print all, "in tables,", rows, "in rows,", books
		      exit !(all > 0 && all == books && rows == books) }' got
}

plain_tables() {
	start 1000 "$work/shares" 100000
	top 0 -n 3 -d 1 -p "$started"
	plain=$?
	stop
	[ $plain -eq 0 ] && [ "$(grep -c ' samples in ' got)" -eq 3 ] &&
		books_balance || return 1
	# shellcheck disable=SC2046 # three numbers
	counts_three_to_one $(awk '
		$7 == "heavy" { h += $5 }
		$7 == "light" { l += $5 }
		sub(/.*; not seen: /, "") && $2 ~ /^lost/ { lost += $1 }
		END { print h + 0, l + 0, lost + 0 }' got)
}

# The whole of a path is in the total of what called it.
total_of_main() {
	awk '$7 == "main" { if ($3 > most) most = $3 }
	     END { print most; exit !(most > 90) }' got
}

until_it_ends() {
	start 1000 "$work/shares" 100000
	ends_later
	top 0 -d 1 -p "$started"
	until_ends=$?
	stop
	[ $until_ends -eq 0 ] && grep -q 'it has ended' got &&
		grep -q 'shares.* has ended' errors && books_balance
}

tree_by_process() {
	start 1000 "$work/shares" 100000 fork
	with_children 2
	top 0 -n 1 -d 2 --by process --descendants -p "$started"
	tree=$?
	pkill -KILL -P "$started"
	stop
	[ $tree -eq 0 ] && [ "$(grep -c '%.* shares (' got)" -eq 2 ]
}

# A server's workers, if they are not asked for.
left_out() {
	start 1000 "$work/shares" 100000 fork
	with_children 2
	top 0 -n 1 -d 1 -p "$started" && grep -q \
		'2 that it started before are left out: --descendants' errors
	left_out=$?
	pkill -KILL -P "$started"
	stop
	return $left_out
}

name_by_thread() {
	cp threads a_rare_name
	start 1000 "$work/a_rare_name" 100000
	top 0 -n 1 -d 3 --by thread a_rare_name
	by_thread=$?
	stop
	[ $by_thread -eq 0 ] && [ "$(grep -cE \
		' (one|two|three) \([0-9]+\) of a_rare_name' got)" -eq 3 ]
}

# screen ACTION...: top on a terminal of 24 lines; seen has what was there.
screen() {
	screen_status=0
	user python3 "$progs/screen.py" 24 80 "$@" >seen 2>&1 ||
		screen_status=$?
	cat seen
	[ $screen_status -eq 0 ] && grep -qx 'restored yes' seen &&
		grep -qx 'cursor shown' seen && grep -qx 'raw yes' seen
}

keys() {
	start 1000 "$work/shares" 100000
	screen 'wait:heavy *$' show key:p 'wait:shares \(' show key:t \
		'wait:samples  thread$' key:t 'wait:heavy *$' key:s \
		'wait:main *$' 'key: ' 'wait:\[paused\]' 'key: ' \
		'wait:pause$' key:q -- "$profil" top -d 1 -p "$started"
	keys=$?
	stop
	[ $keys -eq 0 ] && grep -qx 'status 0' seen &&
		grep -qx 'widest [1-7]\{0,1\}[0-9]' seen
}

resized() {
	start 1000 "$work/shares" 100000
	screen 'wait:heavy *$' size:10,50 'wait:q: quit  s: self/total  p: .*\.\.\.$' \
		show size:30,100 'wait:pause$' key:q -- \
		"$profil" top -d 1 -p "$started"
	resized=$?
	stop
	[ $resized -eq 0 ] && [ "$(sed '/^--$/q' seen | wc -l)" -le 11 ]
}

stopped_and_back() {
	start 1000 "$work/shares" 100000
	screen 'wait:heavy *$' key:^Z stopped 'wait:heavy *$' key:^C -- \
		"$profil" top -d 1 -p "$started"
	back=$?
	stop
	[ $back -eq 0 ] && grep -qx 'status 0' seen
}

ended_by_signal() {
	start 1000 "$work/shares" 100000
	screen 'wait:heavy *$' signal:SIGTERM -- "$profil" top -d 1 -p "$started"
	by_signal=$?
	stop
	return $by_signal
}

# The last table stays, above what the shell prints next.
ends_on_screen() {
	start 1000 "$work/shares" 30000
	screen 'wait:it has ended' -- "$profil" top -d 1 -p "$started" &&
		grep -q 'heavy *$' seen && grep -q 'has ended$' seen
}

one_write_a_frame() {
	start 1000 "$work/shares" 100000
	user strace -o trace -e trace=write "$profil" top -n 4 -d 1 \
		-p "$started" >got 2>errors
	stop
	[ "$(grep -c '^write(1, ' user/trace)" -eq 4 ]
}

# Programs that ended, and their files, are forgotten.
bounded() {
	cat >user/many <<-END
		#!/bin/sh
		i=0
		while [ \$i -lt 200 ]; do
			cp $work/short ./short\$i
			./short\$i 4
			rm short\$i
			i=\$((i + 1))
		done
		sleep 1000
	END
	chmod 755 user/many
	start 1000 "$work/user/many"
	user timeout 1000 "$profil" top -d 1 -p "$started" >got 2>errors &
	bounded_nr=0
	while [ "$(pgrep -P "$started" -c sleep)" = 0 ] && [ $bounded_nr -lt 800 ]
	do
		sleep 1
		bounded_nr=$((bounded_nr + 1))
	done
	# It has to show a table first, which takes long beside other work.
	bounded_pid=$(pgrep -u 1000 -x profil)
	bounded_nr=0
	while
		sleep 3
		find "/proc/$bounded_pid/fd" -mindepth 1 | wc -l >fds
		[ "$(cat fds)" -ge 160 ] && [ $bounded_nr -lt 20 ]
	do
		bounded_nr=$((bounded_nr + 1))
	done
	pkill -KILL -P "$started"
	stop
	wait
	cat errors fds
	tail -n 40 got
	books_balance >sums || { cat sums; return 1; }
	cat sums
	[ "$(cat fds)" -lt 400 ]
}

refused() {
	start 1001 "$work/shares" 100000
	top 1 -p "$started"
	refused=$?
	stop
	[ $refused -eq 0 ] && grep -q "sudo profil top -p $started" errors &&
		top 1 -p 999999 && grep -q 'no process 999999' errors &&
		top 1 no_such_name && grep -q 'no process is called' errors &&
		top 2 && top 2 -p 1 name && top 2 --by line x && top 2 -d 0 x
}

build shares shares.c
build threads threads.c
build short shares.c
chmod 755 ./*

check "top_tables_add_up_to_the_books" plain_tables
check "top_total_has_what_was_called" total_of_main
check "top_target_ends_it_says_so" until_it_ends
check "top_tree_by_process" tree_by_process
check "top_tells_what_it_leaves_out" left_out
check "top_name_by_thread" name_by_thread
check "top_keys_choose_what_is_shown" keys
check "top_resized_terminal_is_kept_to" resized
check "top_stopped_restores_the_terminal" stopped_and_back
check "top_ended_by_signal_restores_the_terminal" ended_by_signal
check "top_last_table_stays_on_the_screen" ends_on_screen
if command -v strace >/dev/null; then
	check "top_frame_is_one_write" one_write_a_frame
else
	skip "top_frame_is_one_write" "there is no strace"
fi
check "top_forgets_what_has_ended" bounded
check "top_other_users_and_wrong_use" refused
finish
