#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil top: its tables, and how they are drawn on a terminal.  What it records
# is tested by guest-top.sh.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# shellcheck disable=SC2046 # words
with_model frames frames.c $(printf " $tree/tools/profil/%s.c" owner rows \
	rows_out screen shorten terminal top_frame)

plain() {
	small
	./frames profil.pb.gz function 1 >got || return 1
	diff - got <<-'END'
	prog: 1000 samples in 2.0 s, 0.51 CPUs, 1 process
	in system calls: 20.0 %, in faults and interrupts: 4.0 %; not seen: 3 lost, 7 unplaced

	    self    total   samples  object            function
	  70.0 %   74.0 %       700  prog              alpha
	  20.0 %   20.0 %       200  [kernel]          [system call] read
	   6.0 %    6.0 %        60  libx.so.1         [libx.so.1: no symbol]
	3 more rows with 40 samples
	END
}

plain_by_thread() {
	small
	./frames profil.pb.gz thread 1 | sed 1,3d >got || return 1
	diff - got <<-'END'
	    self   samples  thread
	  90.0 %       900  prog (10) of prog
	  10.0 %       100  work (12) of prog
	END
}

# on_screen ROWS COLUMNS ACTION...: what the terminal shows, in got.
on_screen() {
	on_rows=$1
	on_columns=$2
	shift 2
	python3 "$here/prog/screen.py" "$on_rows" "$on_columns" "$@" \
		-- ./frames profil.pb.gz function 3 >got 2>&1 ||
		{ cat got; return 1; }
	cat got
	grep -qx 'restored yes' got && grep -qx 'cursor shown' got
}

drawn() {
	small
	on_screen 24 80 'wait:beta' key:q && grep -qx 'frames 4' got &&
		grep -qx 'status 0' got && grep -qx 'raw yes' got &&
		grep -q '^   6.0 %    6.0 %        60  libx.so.1         \[libx.so.1: no symbol\]$' got
}

# The last line is not filled, or the terminal would scroll.
fits() {
	small
	on_screen 9 60 'wait:libx' key:q || return 1
	grep -qx 'widest [1-5][0-9]' got && ! grep -q beta got &&
		grep -q '^prog: 1000 samples' got
}

resized() {
	small
	on_screen 24 80 'wait:beta' size:8,40 'wait:alpha' show key:q &&
		[ "$(sed '/^--$/q' got | wc -l)" -le 8 ] &&
		[ "$(sed -n 's/^widest //p' got)" -le 39 ] || return 1
	on_screen 8 40 'wait:alpha' size:24,80 'wait:beta' key:q
}

shorter_leaves_nothing() {
	small
	small long.pb.gz
	on_screen 24 80 'wait:beta' size:30,50 'wait:beta' show key:q &&
		! sed '/^--$/q' got | awk 'length > 49' | grep .
}

error_restores() {
	small
	on_screen 24 80 'wait:beta' key:x && grep -qx 'status 3' got
}

hostile() {
	printf 'rate\t1\nmap\t/o\033[2J\tz\t0\t0x9000\t0\nsample\t5\t1:0x10:ev\033[5H\302\233il\n' |
		./fixture profil.pb.gz >/dev/null
	on_screen 24 80 'wait:x1b' key:q && ./frames profil.pb.gz function 1 >raw &&
		[ -z "$(LC_ALL=C tr -d '\n\040-\176' <raw)" ]
}

one_write() {
	small
	script -qec "strace -o trace -e trace=write ./frames profil.pb.gz function 5" \
		/dev/null <keys >/dev/null || return 1
	cat trace
	# To scroll, six frames, to leave.
	[ "$(grep -c '^write(1, ' trace)" -eq 8 ]
}
printf q >keys

# The rest is of profil top itself, on a device that is not there.
fake_target() {
	gcc -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC -I"$tree/uapi" \
		-o fake.so "$here/prog/fake_device.c" -ldl &&
		gcc -O1 -static -nostdlib -no-pie -o target -x c - <<-'END' ||
	void heavy(void) { for (;;); }
	void light(void) { for (;;); }
	void _start(void) { heavy(); }
	END
		return 1
	./target & FAKE_PID=$!
	trap 'kill -KILL $FAKE_PID' EXIT
	while [ "$(cat /proc/$FAKE_PID/comm)" != target ]; do
		sleep 0.1
	done
	kill -STOP $FAKE_PID
	FAKE_HEAVY=$(nm target | awk '$3 == "heavy" { print $1 }')
	FAKE_LIGHT=$(nm target | awk '$3 == "light" { print $1 }')
	export FAKE_PID FAKE_HEAVY FAKE_LIGHT
	printf '#!/bin/sh\nLD_PRELOAD=%s/fake.so exec %s top "$@" -p %s\n' \
		"$work" "$profil" "$FAKE_PID" >top
	sed 's/ top / attach /' top >attach
	chmod 755 top attach
}

books_of_tables() {
	timeout 60 ./top -n 2 -d 1 >got 2>errors || return 1
	cat got errors
	awk '/ samples in / { sub(/ samples in .*/, ""); sub(/.*: /, ""); all += $0 }
	     $7 == "heavy" { heavy += $5 } $7 == "light" { light += $5 }
	     / tables of / { books = $5; tables = $2 }
	     END { exit !(tables == 2 && all > 0 && all == books &&
			  heavy + light == all && heavy == 3 * light) }' \
		got errors
}

# on_top ACTION...: what profil top shows on a terminal, in seen.
on_top() {
	python3 "$here/prog/screen.py" 24 80 "$@" >seen 2>&1 ||
		{ cat seen; return 1; }
	cat seen
	grep -qx 'restored yes' seen && grep -qx 'cursor shown' seen &&
		grep -qx 'raw yes' seen
}

keys_choose() {
	on_top 'wait:heavy$' key:p 'wait:target \([0-9]+\)$' key:t \
		'wait:worker \([0-9]+\) of target$' key:t 'wait:light$' \
		'key: ' 'wait:^\[paused\]' 'key: ' 'wait:^q: quit' key:s \
		'wait:heavy$' key:x key:q -- ./top -d 1 &&
		grep -qx 'status 0' seen
}

resize_of_top() {
	on_top 'wait:heavy$' size:8,45 show size:30,100 'wait:^q:.*pause$' \
		key:q -- ./top -d 1 &&
		sed '/^--$/q' seen | grep -q 'heavy$' &&
		! sed '/^--$/q' seen | awk 'length > 44' | grep .
}

stop_and_back() {
	on_top 'wait:heavy$' key:^Z stopped 'wait:heavy$' size:20,70 key:^C \
		-- ./top -d 1 && grep -qx 'status 0' seen
}

signals_restore() {
	for signal in TERM HUP INT; do
		on_top 'wait:heavy$' signal:SIG$signal -- ./top -d 1 &&
			grep -qx 'status 0' seen || return 1
	done
}

end_is_said() {
	FAKE_SWAPS=8
	export FAKE_SWAPS
	end_is_said=0
	on_top 'wait:it has ended' -- ./top -d 1 || end_is_said=1
	timeout 60 ./top -d 1 >got 2>errors || end_is_said=1
	unset FAKE_SWAPS
	cat got errors
	[ $end_is_said = 0 ] && grep -q 'heavy$' seen &&
		grep -q '^profil: target ([0-9]*) has ended$' seen &&
		grep -qx 'profil: [0-9]* tables of 800 samples' errors
}

# Its last interval had no sample, so its last table was printed before.
idle_end() {
	FAKE_IDLE=4 FAKE_SWAPS=9 timeout 60 ./top -d 1 >got 2>errors || return 1
	cat got errors
	awk '/ samples in / { sub(/ samples in .*/, ""); sub(/.*: /, ""); all += $0; nr++ }
	     / tables of / { books = $5; tables = $2 }
	     END { exit !(books == 400 && all == 400 && nr == tables) }' got errors
}

# What nohup starts outlives its terminal.
hung_up() {
	for command in top attach; do
		(trap '' HUP && exec ./$command -d 1000) >got 2>&1 & hung=$!
		sleep 2
		kill -HUP $hung
		sleep 1
		kill -TERM $hung || { cat got; return 1; }
		wait $hung
	done
}

# tell COMMAND: attach's answer, for which it has 10 seconds.
tell() {
	echo "$1" >commands
	timeout 10 head -n 1 <>answers | grep -qx ack
}

# obeys STATUS COMMAND...: attach ends with that after these commands, each answered.
obeys() {
	obeys_status=$1
	shift
	./attach -D 1000 --control fifo:commands,answers >got 2>&1 & attach=$!
	for command; do
		tell "$command" || kill -KILL $attach
	done
	obeyed=0
	wait $attach || obeyed=$?
	cat got
	[ $obeyed -eq "$obeys_status" ]
}

# Before the delay is over there is nobody to sample, but commands are heard.
delay_obeys() {
	mkfifo commands answers
	obeys 0 ping enable stop && grep -q ' samples' got || return 1
	"$profil" report >told && ! grep "^off:" told || return 1
	# It joins, and waits for the next command.
	obeys 0 disable enable stop && grep -q ' samples' got &&
		obeys 1 stop &&
		grep -q 'before --delay was over: nothing was recorded' got ||
		return 1
	rm commands answers
}

delay_ends() {
	./attach -D 1000 >got 2>&1 & attach=$!
	sleep 2
	kill -TERM $attach
	wait $attach
	ended=$?
	cat got
	[ $ended -eq 1 ] && grep -q 'before --delay was over: nothing was recorded' got &&
		status 2 timeout 20 "$profil" attach -D 1000 -p "$FAKE_PID" &&
		grep -q '^profil: /dev/profil is missing' errors
}

# A warning must not come back as a command.
control_without_stderr() {
	mkfifo commands
	timeout 60 ./attach -d 2 --control fifo:commands -q 2>&- & attach=$!
	echo bogus >commands
	wait $attach
	ended=$?
	rm commands
	[ $ended -eq 0 ]
}

# Files of what has ended are closed, and the processes forgotten.
bounded() {
	mkdir files
	seq 1000 | sed 's,^,files/,' | xargs -n 1 cp target
	FAKE_FILES=$work/files
	export FAKE_FILES
	timeout 60 ./top -n 6 -d 1 >got 2>errors & top=$!
	most=0
	while kill -0 $top 2>/dev/null; do
		for nr in /proc/$top/fd /proc/$(pgrep -P $top)/fd; do
			nr=$(find "$nr" -mindepth 1 2>/dev/null | wc -l)
			[ "$nr" -le "$most" ] || most=$nr
		done
		sleep 0.2
	done
	unset FAKE_FILES
	cat got errors
	files=$(grep -c ' samples in ' got)
	seen=$(awk '$7 == "heavy" { nr++ } / more rows / { nr += $1 }
		    END { print nr }' got)
	echo "$most descriptors, $seen rows of files, $files tables"
	! grep -q 'unmapped' got && [ "$seen" -gt 400 ] && [ "$most" -gt 100 ] &&
		[ "$most" -lt 350 ]
}

wrong_use() {
	status 2 "$profil" top && status 2 "$profil" top -p 1 x &&
		says 2 '--by is function, process or thread' \
			"$profil" top --by line x &&
		says 2 '--sort is self or total' "$profil" top --sort x y &&
		says 2 'a number above 0' "$profil" top -d 0 x
}

check "top_plain_table_is_exact" plain
check "top_plain_table_by_thread" plain_by_thread
check "top_frames_lie_over_each_other" drawn
check "top_frame_fits_a_small_terminal" fits
check "top_frame_follows_the_size" resized
check "top_frame_leaves_nothing_of_a_longer_one" shorter_leaves_nothing
check "top_error_restores_the_terminal" error_restores
check "top_hostile_names_move_no_cursor" hostile
if command -v strace >/dev/null && command -v script >/dev/null; then
	check "top_drawn_frame_is_one_write" one_write
else
	skip "top_drawn_frame_is_one_write" "there is no strace, or no script"
fi
if fake_target; then
	check "top_tables_add_up_to_the_books" books_of_tables
	check "top_keys_choose_what_is_shown" keys_choose
	check "top_follows_the_size_of_its_terminal" resize_of_top
	check "top_stopped_restores_and_comes_back" stop_and_back
	check "top_signals_restore_the_terminal" signals_restore
	check "top_target_ends_it_says_so" end_is_said
	check "top_idle_target_ends_with_no_more_table" idle_end
	check "top_and_attach_ignore_a_hangup_with_nohup" hung_up
	check "attach_delay_hears_commands" delay_obeys
	check "attach_delay_cut_short_is_told" delay_ends
	check "attach_control_without_stderr_ends" control_without_stderr
	check "top_forgets_what_has_ended" bounded
else
	skip "top_on_a_fake_device" "there is no compiler for it"
fi
check "top_wrong_use_status_2" wrong_use
finish
