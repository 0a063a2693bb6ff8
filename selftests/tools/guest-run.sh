#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil run, as an ordinary user: what it records, and that the program does
# not notice.  For the guest; elsewhere it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

shares_of() {
	record 0 "$work/$1" 1500 ${2:+"$2"} && three_to_one heavy light
}

# summary: its rows, and then as many of the report.
summary() {
	sed -n 's/^  *\([0-9.]* %\)  \(.*\)  \([^ ]*\)$/\1 \3 \2/p' errors >summary
	user "$profil" report --no-lines | awk -v nr="$(wc -l <summary)" '
		on && nr-- > 0 { printf "%s %%", $1
				 for (i = 6; i <= NF; i++) printf " %s", $i
				 print "" }
		$1 == "self" { on = 1 }' | diff summary - && [ -s summary ]
}

# dd(1) is in system calls, which the report has rows for.
summary_of_report() {
	record 0 dd if=/dev/zero of=/dev/null bs=512 count=1000000 &&
		summary && grep -q '\[kernel\] \[system call\] ' summary
}

# What a process was before its exec is the same process.
processes_counted() {
	record 0 "$work/shares" 300 && grep -q ', 1 process$' errors &&
		record 0 sh -c "$work/shares 300 & $work/shares 300; wait" &&
		grep -q ', 3 processes$' errors &&
		record 0 -r 50 sh -c "$work/shares 1500 & $work/shares 1500; wait" &&
		grep -q ', [23] processes$' errors
}

# Without symbols a function is named by where it begins.
stripped_shares() {
	heavy_at=$(nm shares | awk '$3 == "heavy" { sub(/^0*/, "", $1)
						    print $1 }')
	light_at=$(nm shares | awk '$3 == "light" { sub(/^0*/, "", $1)
						    print $1 }')
	record 0 "$work/stripped" 1500 &&
		three_to_one "stripped+0x$heavy_at" "stripped+0x$light_at"
}

forked_shares() {
	shares_of shares fork && rows process | awk -F, '
		$1 > 100 && $5 ~ /^"shares/ { nr++ }
		END { exit nr != 2 }'
}

threaded_shares() {
	shares_of shares threads && rows thread | awk -F, '
		$1 > 100 { nr++ }
		END { exit nr != 2 }'
}

killed_shares() {
	record 137 "$work/shares" 1500 kill && three_to_one heavy light
}

hundred_programs() {
	cat >user/hundred <<-END
		#!/bin/sh
		i=0
		while [ \$i -lt 100 ]; do
			$work/short 8
			i=\$((i + 1))
		done
	END
	chmod 755 user/hundred
	record 0 ./hundred && rows process >processes || return 1
	awk -F, '{ split($5, name, " ")
		   nr[name[1]]++; sum[name[1]] += $1; all += $1 }
		 END { for (n in nr) print n, nr[n], sum[n], "of", all
		       exit !(nr["\"short\""] == 100 &&
			      nr["\"hundred\""]) }' \
		processes || return 1
	rows function >/dev/null
	cat rows.csv
	awk -F, '$6 ~ /\/short"$/ { all += $1 }
		 $5 == "\"heavy\"" || $5 == "\"light\"" { named += $1 }
		 END { print named + 0, "of", all + 0, "of short have a name"
		       exit !(all > 50 && named > 0.9 * all) }' rows.csv &&
		few_unmapped
}

# What ended before its maps were read is named all the same.
few_unmapped() {
	balanced || return 1
	awk -F, -v lost="$(sed -n 's/^lost //p' books)" '
		 NR > 1 { all += $1 }
		 $5 == "\"[unmapped, ended]\"" { gone += $2 }
		 END { print gone + 0, "unmapped of", all
		       exit !(all + lost > 300 && 50 * gone < all) }' rows.csv
}

# The tool sleeps while they live, so that it can read none of their maps.
ended_unseen() {
	cat >user/unseen <<-END
		#!/bin/sh
		$work/shares 100
		kill -STOP \$PPID
		i=0
		while [ \$i -lt 10 ]; do
			$work/shares 60
			i=\$((i + 1))
		done
		kill -CONT \$PPID
	END
	chmod 755 user/unseen
	record 0 ./unseen && rows process >processes || return 1
	cat processes
	[ "$(grep -c '"shares' processes)" -ge 11 ] && three_to_one heavy light &&
		few_unmapped
}

not_followed() {
	record 0 --no-follow sh -c "$work/shares 300; :" || return 1
	rows process >processes
	cat processes
	! grep -q shares processes
}

moved_text() {
	record 0 "$work/moved" 2000 || return 1
	rows function >/dev/null
	share moved_burn 60
}

late_library() {
	record 0 "$work/plugin" "$work/late.so" 2000 || return 1
	rows function >/dev/null
	share hidden_burn 40
}

made_text() {
	record 0 "$work/own_text" 3000 || return 1
	rows function >/dev/null
	share made_loop 60
}

map_is_fifo() {
	record 0 "$work/own_text" 2000 fifo || return 1
	rows function >/dev/null
	share "[anonymous]" 60
}

by_loader() {
	loader=$(readelf -lW shares | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
	record 0 "$loader" "$work/shares" 1500 && three_to_one heavy light
}

# At the program's path another file lies for all but itself.
other_mounts() {
	cp evil user/same
	record 0 unshare -Urm sh -c "mount --bind $work/shares same &&
		./same 5000" && three_to_one heavy light
}

# A recording waits for no server; a report asks it.
asks_no_server() {
	ip link set lo up 2>/dev/null || :
	python3 "$progs/debuginfod.py" shares log & server=$!
	asks_nr=0
	while [ ! -s log ] && [ $asks_nr -lt 600 ]; do
		sleep 0.1
		asks_nr=$((asks_nr + 1))
	done
	DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 log)
	export DEBUGINFOD_URLS
	asks=0
	record 0 "$work/stripped" 200 && [ "$(wc -l <log)" = 1 ] || asks=1
	rows function >/dev/null
	user "$profil" report >/dev/null
	unset DEBUGINFOD_URLS
	kill "$server"
	cat log
	[ $asks = 0 ] && grep -q /buildid/ log
}

# The program is gone before it is looked at, and what has its name would hang its
# reader.  It stays until the tool has slept ten times: after a stop of the machine
# it may have used all its CPU time before the tool runs.
deleted_program() {
	cp shares user/gone
	chown 1000:1000 user/gone
	cat >user/deletes <<-'END'
		#!/bin/sh
		kill -STOP $PPID
		slept() { sed -n 's/^voluntary.*://p' /proc/$1/status; }
		./gone 1500 stop & p=$!
		until [ "$(cat /proc/$p/comm)" = gone ]; do :; done
		rm gone
		mkfifo gone
		kill -CONT $PPID
		enough=$(($(slept $PPID) + 10))
		until [ $(slept $PPID) -gt $enough ]; do sleep 0.1; done
		until grep -q '^State:.[TZ]' /proc/$p/status; do sleep 0.1; done
		kill -CONT $p
		wait $p
	END
	chmod 755 user/deletes
	record 0 ./deletes && three_to_one heavy light
}

broken_sections() {
	cp shares broken
	printf '\377\377\377\377\377\377\377\177' |
		dd of=broken bs=1 seek=40 conv=notrunc 2>/dev/null
	record 0 "$work/broken" 300 && balanced
}

# Its own name could drive the terminal.
escaped_name() {
	name=$(printf 'sh\033[31mares')
	cp shares "user/$name"
	record 0 "./$name" 200 || return 1
	! grep -q "$(printf '\033')" errors && grep -q 'x1b' errors
}

same_state() {
	# The shell sets _, and the two outputs have two names.
	user "$@" </dev/null >state.without || return 1
	user "$profil" run -q -o state.pb.gz "$@" </dev/null >state.with ||
		return 1
	sed -i -e '/^env _=/d' -e 's/state.with\(out\)\{0,1\}/state/' \
		state.with state.without
	diff state.without state.with && [ "$(wc -l <state.with)" -gt 80 ]
}

same_odd_state() {
	cat >user/odd <<-END
		#!/bin/sh
		exec "$work/state" odd "\$@"
	END
	chmod 755 user/odd
	user ./odd "$work/state" </dev/null >state.without || return 1
	user ./odd "$profil" run -q -o state.pb.gz "$work/state" </dev/null \
		>state.with || return 1
	sed -i -e '/^env _=/d' -e 's/state.with\(out\)\{0,1\}/state/' \
		state.with state.without
	grep -q 'signal 12 default blocked' state.with &&
		grep -q 'signal 17 ignored' state.with &&
		diff state.without state.with
}

closed_streams() {
	user "$work/state" <&- 2>&- >state.without || return 1
	user "$profil" run -q "$work/state" <&- 2>&- >state.with || return 1
	sed -i -e '/^env _=/d' -e 's/state.with\(out\)\{0,1\}/state/' \
		state.with state.without
	! grep -q '^fd [02] ' state.with && diff state.without state.with
}

# What passes through is the program's alone.
pipe_untouched() {
	seq 1000 >numbers
	user sh -c "cat | $profil run sort -n | cat" <numbers >sorted 2>errors &&
		cmp numbers sorted && [ "$(tail -n 1 errors)" = profil.pb.gz ] &&
		[ "$(wc -l <errors)" -le 15 ]
}

statuses() {
	record 0 true && record 7 sh -c 'exit 7' && record 127 ./missing &&
		grep -q 'missing: No such file' errors &&
		record 126 /etc/passwd && record 143 sh -c 'kill -TERM $$' &&
		record 125 -r 0 true && record 125 -r 1000000 true &&
		record 125 && record 125 --no-such-option true
}

# Options behind the program's name are the program's.
options_of_program() {
	record 0 -q echo -q --help && [ "$(cat got)" = "-q --help" ] &&
		[ ! -s errors ]
}

signal_passed_on() {
	user timeout --foreground 60 "$profil" run -q "$work/signals" >ready \
		2>errors & run_pid=$!
	i=0
	while ! grep -q ready ready && [ $i -lt 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	# A worker of the module has that name too.
	kill -TERM "$(pgrep -u 1000 -x profil)"
	signal_status=0
	wait "$run_pid" || signal_status=$?
	echo "status $signal_status"
	[ "$signal_status" -eq 41 ]
}

# The terminal sends one to each process; the program gets no second one.
interrupted() {
	user timeout 100 python3 "$progs/terminal.py" "$profil" run -o int.pb.gz \
		"$work/signals" >said || { cat said; return 1; }
	cat said
	grep -q 'status 41' said && grep -q 'int.pb.gz' said
}

# A profile that can't be written is told of; the status is the program's.
no_room() {
	record 7 -o /proc/none/x sh -c 'exit 7' && grep -q 'choose a place' errors
}

no_device() {
	mv /dev/profil /dev/profil.hidden
	record 125 sh -c 'echo ran'
	no_device_status=$?
	mv /dev/profil.hidden /dev/profil
	[ "$no_device_status" -eq 0 ] && [ ! -s got ] &&
		grep -q 'modprobe profil' errors &&
		grep -q -e '--device /dev/profil' errors
}

build shares shares.c
build evil shares.c -Dheavy=evil_heavy -Dlight=evil_light
build static shares.c -static
build static-pie shares.c -static-pie
build short shares.c
build state state.c
build signals signals.c
build moved moved.c -fno-toplevel-reorder
build own_text own_text.c
build plugin plugin.c -Wl,--no-as-needed -ldl
build late.so plugin.c -DPLUGIN -shared -fPIC
strip -o stripped shares
chmod 755 ./*

check "run: two functions, 3 to 1" shares_of shares
check "run: the rows add up to the books" balanced
check "run_summary_has_the_rows_of_the_report" summary_of_report
check "run_summary_counts_processes" processes_counted
check "run: a static program" shares_of static
check "run: a static PIE" shares_of static-pie
check "run: a stripped program, by address" stripped_shares
check "run: forked children are processes of their own" forked_shares
check "run: threads are told apart" threaded_shares
check "run: a program that is killed" killed_shares
check "run: 100 short programs of a script, by name" hundred_programs
check "run: their samples add up to the books" balanced
check "run: programs that ended unseen" ended_unseen
check "run: --no-follow" not_followed
check "run: text that was moved to anonymous memory" moved_text
check "run: a library that is loaded late" late_library
check "run: code that a program made, by its map" made_text
check "run: a FIFO as its map hangs nothing" map_is_fifo
check "run_by_loader_names_the_program" by_loader
check "run_other_mounts_name_what_ran" other_mounts
check "run_asks_no_debuginfod_report_does" asks_no_server
check "run: a deleted program, a FIFO in its place" deleted_program
check "run: a program with broken section headers" broken_sections
check "run: a name with an escape sequence is printed safely" escaped_name
check "run: descriptors, signals, limits as without" same_state "$work/state"
check "run: the same with odd signals" same_odd_state
check "run: the same with closed streams" closed_streams
check "run: a pipe through the program is untouched" pipe_untouched
check "run: exit statuses" statuses
check "run: options of the program" options_of_program
check "run: a signal is passed on" signal_passed_on
check "run: ^C is the program's, once" interrupted
check "run: a file that can't be written" no_room
check "run: without the device it says what to do" no_device
finish
