#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program under profil run meets what it would meet without, on a terminal
# too; debuggers and tracers work around it and in it.  For the guest; elsewhere
# it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# Of two programs in one terminal, because another one has another name.
same_on_terminal() {
	user timeout 100 python3 "$progs/jobs.py" \
		"sh -c '$work/state; echo the end; $profil run -q $work/state'" \
		"the end" "" >screen || { cat screen; return 1; }
	tr -d '\r' <screen | sed -n '/^env _=/d; /^the end/q; /^fd 0/,$p' >without
	tr -d '\r' <screen | sed -n '/^the end/,/^policy/p' |
		sed '/^env _=/d; 1d' >with
	cat with
	diff without with && [ "$(wc -l <with)" -gt 80 ] &&
		grep -q '^fd 0 .*/dev/pts/' with &&
		awk '/^umask/ { exit !($6 == $10) }' with
}

# typed STATUS COMMAND WAIT TYPE...: at a shell, without and with profil run.
typed() {
	typed_status=$1
	shift
	typed_command=$1
	shift
	for before in "" "$profil run -q "; do
		user timeout 100 python3 "$progs/jobs.py" \
			"$before$typed_command" "$@" >screen || {
			cat screen
			return 1
		}
		cat screen
		grep -q "^ended $typed_status" screen || return 1
	done
}

# Without any of these streams the program runs, and its status is told.
all_closed() {
	for how in '0<&-' '1>&-' '2>&-' '0<&- 1>&- 2>&-'; do
		eval "record_is=0; user \"\$profil\" run -q sh -c 'exit 9' $how ||
			record_is=\$?"
		[ "$record_is" -eq 9 ] || { echo "$how: $record_is"; return 1; }
	done
}

under_gdb() {
	rm -f user/profil.pb.gz*
	user timeout 200 gdb -nx -batch -ex run --args "$profil" run -q \
		"$work/shares" 1500 </dev/null >got 2>&1
	cat got
	grep -q 'exited normally' got && three_to_one heavy light && balanced
}

# A breakpoint is the kernel's matter, but the text is changed for it.
gdb_in_it() {
	record 0 gdb -nx -batch -ex 'break light' -ex run -ex bt -ex delete \
		-ex continue --args "$work/shares" 1500 || return 1
	grep -q 'Breakpoint 1, light' got && grep -q 'in burn' got &&
		grep -q 'exited normally' got && three_to_one heavy light
}

under_strace() {
	rm -f user/profil.pb.gz*
	user timeout 200 strace -f -o trace "$profil" run -q "$work/shares" 1500 ||
		return 1
	grep -c . user/trace
	grep -q "execve(\"$work/shares\"" user/trace && three_to_one heavy light &&
		balanced
}

strace_in_it() {
	record 0 strace -f -o trace "$work/shares" 1500 fork || return 1
	grep -q 'clone' user/trace && three_to_one heavy light
}

under_valgrind() {
	rm -f user/profil.pb.gz*
	user timeout 500 valgrind -q --error-exitcode=99 "$profil" run -q \
		"$work/shares" 5000 >got 2>&1 || { cat got; return 1; }
	cat got
	three_to_one heavy light && balanced
}

valgrind_in_it() {
	record 0 valgrind -q --error-exitcode=99 "$work/shares" 1500 && balanced
}

build shares shares.c
build state state.c
build signals signals.c
build stops stops.c
chmod 755 ./*

check "unchanged: what a program inherits on a terminal" same_on_terminal
check "unchanged: ^Z stops it, fg continues it, ^C ends it" typed 41 \
	"$work/signals" ready ^Z Stopped "" "prompt> " "fg|" continued ^C
check "unchanged: a program that stops itself" typed 7 "$work/stops" first "" \
	Stopped "" "prompt> " "fg|" second ""
check "unchanged: any of its streams closed" all_closed
check "unchanged: under gdb" under_gdb
check "unchanged: gdb in it" gdb_in_it
check "unchanged: under strace -f" under_strace
check "unchanged: strace -f in it" strace_in_it
check "unchanged: under valgrind" under_valgrind
check "unchanged: valgrind in it" valgrind_in_it
finish
