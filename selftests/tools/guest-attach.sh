#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil attach, as an ordinary user: to processes that run already.  For the
# guest; elsewhere it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

yama=/proc/sys/kernel/yama/ptrace_scope

# attach STATUS ARG...: ends with the status; errors has what it says.
attach() {
	attach_wanted=$1
	shift
	rm -f user/profil.pb.gz*
	attach_is=0
	user timeout 100 "$profil" attach "$@" >got 2>errors || attach_is=$?
	cat got errors
	[ "$attach_is" -eq "$attach_wanted" ]
}

by_pid() {
	start 1000 "$work/shares" 100000
	attach 0 -d 2 -p "$started"
	by_pid=$?
	stop
	[ $by_pid -eq 0 ] && three_to_one heavy light &&
		user "$profil" report | grep -qx "command: profil attach -d 2 -p $started"
}

by_name() {
	start 1000 "$work/a_rare_name" 100000
	attach 0 -d 2 a_rare_name
	by_name=$?
	stop
	[ $by_name -eq 0 ] && grep -q "process $started: a_rare_name" errors &&
		three_to_one heavy light
}

# All that a container starts is counted there, however short it lives.
by_cgroup() {
	box=/sys/fs/cgroup/profil_box
	mkdir $box || return 1
	start 1000 sh -c 'while :; do /bin/true; done'
	echo "$started" >$box/cgroup.procs
	attach 0 -d 3 -p "$started"
	by_cgroup=$?
	stop
	timeout 20 sh -c "until rmdir $box 2>/dev/null; do sleep 0.1; done"
	[ $by_cgroup -eq 0 ] || return 1
	rows cgroup
	awk -F, 'NR > 1 { all += $1 }
		 /"\/profil_box"/ { inside = $1 }
		 END { exit !(all > 200 && inside > 0.98 * all) }' rows.csv
}

no_such_name() {
	start 1000 "$work/a_rare_name" 100000
	attach 1 rare_nam
	no_such_name=$?
	stop
	[ $no_such_name -eq 0 ] && grep -q "no process is called rare_nam" \
		errors && grep -q "process $started is called a_rare_name" errors
}

until_it_ends() {
	start 1000 "$work/shares" 100000
	ends_later
	attach 0 -p "$started"
	until_ends=$?
	stop
	[ $until_ends -eq 0 ] && three_to_one heavy light
}

# Less than one sample a second is one.
idle_ends() {
	start 1000 sleep 1000
	ends_later
	attach 0 -r 1 -p "$started"
	idle_ends=$?
	stop
	return $idle_ends
}

unwritten() {
	start 1000 "$work/shares" 100000
	unwritten=0
	user timeout 100 sh -c "trap '' XFSZ; ulimit -f 0
		exec $profil attach -d 1 -p $started" >got 2>errors || unwritten=$?
	stop
	cat got errors
	[ $unwritten -eq 2 ]
}

with_descendants() {
	start 1000 "$work/shares" 100000 fork
	with_children 2
	attach 0 -d 2 -p "$started" --descendants
	with_descendants=$?
	pkill -KILL -P "$started"
	stop
	[ $with_descendants -eq 0 ] && rows process | awk -F, '
		$1 > 20 { nr++ }
		END { exit nr != 2 }'
}

# A server's workers, if they are not asked for.
left_out() {
	start 1000 "$work/shares" 100000 fork
	with_children 2
	attach 0 -d 1 -p "$started" && grep -q \
		'2 that it started before are left out: --descendants' errors &&
		attach 0 -q -d 1 -p "$started" && [ ! -s errors ]
	left_out=$?
	pkill -KILL -P "$started"
	stop
	return $left_out
}

# Its file has another's name and contents by then.
replaced_library() {
	cp good.so user/lib.so
	start 1000 "$work/plugin" ./lib.so 100000
	i=0
	while ! grep -q loaded said && [ $i -lt 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	cp evil.so user/new.so
	mv user/new.so user/lib.so
	attach 0 -d 2 -p "$started"
	replaced_library=$?
	stop
	[ $replaced_library -eq 0 ] && rows object >objects || return 1
	cat objects
	grep -q '"lib.so"' objects || grep -q '/lib.so"' objects || return 1
	hidden=$(nm good.so | awk '$3 == "hidden_burn" { sub(/^0*/, "", $1)
							 print $1 }')
	rows function && ! grep -q evil rows.csv && share "lib.so+0x$hidden" 40
}

# Root reaches the file that is mapped.
replaced_for_root() {
	cp good.so user/lib.so
	start 1000 "$work/plugin" ./lib.so 100000
	i=0
	while ! grep -q loaded said && [ $i -lt 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	rm user/lib.so
	timeout 100 "$profil" attach -q -d 2 -o root.pb.gz -p "$started"
	replaced_for_root=$?
	stop
	"$profil" report --no-lines --csv -i root.pb.gz >rows.csv &&
		[ $replaced_for_root -eq 0 ] && share hidden_burn 40
}

other_user() {
	start 1001 "$work/shares" 100000
	attach 1 -p "$started"
	other_user=$?
	stop
	[ $other_user -eq 0 ] && grep -q 'belongs to' errors &&
		grep -q "sudo profil attach -p $started" errors &&
		attach 1 -p $$ && grep -q "process $$ belongs to root" errors
}

yama_says_no() {
	echo 1 >$yama
	start 1000 "$work/shares" 100000
	attach 1 -p "$started"
	yama_says_no=$?
	stop
	echo 0 >$yama
	[ $yama_says_no -eq 0 ] && grep -q "ptrace_scope=1" errors &&
		grep -q "profil run" errors
}

wrong_use() {
	attach 2 && attach 2 -p 1 name && attach 2 -p x && attach 1 -p 999999 &&
		grep -q "no process 999999" errors
}

build shares shares.c
build plugin plugin.c -Wl,--no-as-needed -ldl
build good.so plugin.c -DPLUGIN -shared -fPIC
build evil.so plugin.c -DPLUGIN -Dhidden_burn=evil_burn -shared -fPIC -O0
cp shares a_rare_name
chmod 755 ./*

check "attach: by pid, two functions, 3 to 1" by_pid
check "attach: the rows add up to the books" balanced
check "attach: by name" by_name
check "attach_by_cgroup" by_cgroup
check "attach: no such name, and what is like it" no_such_name
check "attach: until the process ends" until_it_ends
check "attach: an idle process ends" idle_ends
check "attach_of_an_unwritten_file_exits_2" unwritten
check "attach: with what it started before" with_descendants
check "attach_says_what_is_left_out" left_out
check "attach_replaced_library_named_by_memory" replaced_library
check "attach: root names what was deleted" replaced_for_root
check "attach: another user's process" other_user
if [ -e $yama ]; then
	check "attach: Yama says no" yama_says_no
else
	skip "attach: Yama says no" "this kernel has no Yama"
fi
check "attach: wrong use, no such process" wrong_use
finish
