#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Threads in a profile, as an ordinary user: their shares, their CPU time and how
# long they waited.  For the guest; elsewhere it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# Of three threads that use 1, 2 and 3 parts of the time; within 4 sigma, because
# it is asked six times in each run.
thirds() {
	for thirds_by in thread thread-name; do
		rows $thirds_by | awk -F, '
			{ gsub(/"/, "", $5); nr[$5] += $1 }
			END { all = nr["one"] + nr["two"] + nr["three"]
			      split("one two three", names, " ")
			      bad = all < 300
			      for (i = 1; i <= 3; i++) {
				p = i / 6
				z = all ? (nr[names[i]] - p * all) / \
					sqrt(all * p * (1 - p)) : 9
				print names[i], nr[names[i]] + 0, "of", all, z
				bad += z > 4 || z < -4
			      }
			      exit bad }' || return 1
	done
}

three_shares() {
	record 0 "$work/threads" 300 && thirds
}

# The program says what each had; a thread that slept at its end was read whole.
cpu_and_wait() {
	record 0 "$work/threads" 300 && rows thread >list || return 1
	cat list
	awk 'NR == FNR { cpu[$1] = $2; wait[$1] = $3; next }
	     { split($0, f, ","); name = f[5]; gsub(/"/, "", name)
	       if (!(name in cpu)) next
	       nr++
	       off = f[11] - cpu[name]; late = f[12] - wait[name]
	       print name, f[11], "of", cpu[name], f[12], "of", wait[name]
	       # Its end counts, and the machine may stand still there.
	       bad += off < 0 || off > cpu[name] / 5 + 200000000
	       bad += late < -wait[name] / 5 || late > wait[name] / 5 + 50000000 }
	     END { exit !(nr == 3 && !bad) }' got list
}

# On one CPU a thread waits while the others run, and that is much.
waits() {
	awk '{ if ($3 < 100000000) bad++ } END { exit NR != 3 || bad }' got
}

# cpu_adds_up PERCENT: the threads' CPU time is that of the books, which begin
# and end with the recording.
cpu_adds_up() {
	user "$profil" report --no-lines --json >json && rows thread >list ||
		return 1
	cpu=$(sed -n 's/.*"cpu_ns":\([0-9]*\),$/\1/p' json)
	awk -F, -v all="$cpu" -v off="$1" '{ sum += $11 }
		END { print sum, "of", all
		      off = all * off / 100 + 30000000
		      exit !(all > 100000000 && sum > all - off &&
			     sum < all + off) }' list
}

by_run() {
	record 0 "$work/threads" 300 && cpu_adds_up 5
}

# What a program had used before it became another is not the other's.
by_exec() {
	record 0 sh -c "i=0
		while [ \$i -lt 300000 ]; do i=\$((i + 1)); done
		exec $work/threads 50" && cpu_adds_up 5 || return 1
	sh=$(awk -F, '$6 == "\"sh\"" || $6 == "\"dash\"" { print $11 }' list)
	main=$(awk -F, '$5 == $6 && $6 == "\"threads\"" { print $11 }' list)
	echo "sh $sh, threads ${main:-0}"
	[ -n "$main" ] && [ "$sh" -gt "$main" ]
}

by_attach() {
	start 1000 "$work/threads" 100000
	sleep 3
	by_attach=0
	user timeout 100 "$profil" attach -q -d 2 -p "$started" || by_attach=$?
	stop
	[ $by_attach -eq 0 ] && cpu_adds_up 5
}

build threads threads.c
chmod 755 ./*

check "threads_have_their_shares" three_shares
check "threads_have_cpu_and_waiting_time" cpu_and_wait
if [ "$(nproc)" -eq 1 ]; then
	check "threads_of_one_cpu_wait" waits
else
	skip "threads_of_one_cpu_wait" "there are more CPUs"
fi
check "threads_cpu_adds_up_to_the_books" by_run
check "threads_cpu_before_exec_is_apart" by_exec
check "threads_cpu_before_attach_is_left_out" by_attach
finish
