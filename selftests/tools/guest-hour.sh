#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil top, and what the unit profil@.service starts, beside PostgreSQL, as an
# ordinary user: 200 workers, what pgbench still does, and an hour of both.  For a
# guest whose clock counts instructions; elsewhere it compiles what that runs.
#
# From the environment: HOUR_SECONDS, of the hour (3600), and HOUR, which parts.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

bin=$(dirname "$(find /usr/lib/postgresql/*/bin -name initdb | tail -n 1)")

# What it prints goes to a file, because a pipe would keep a test waiting.
serve() {
	user "$bin/initdb" -D db -A trust -U user >initdb.log 2>&1 &&
		user "$bin/pg_ctl" -D db -w -l log start \
			-o "-k $work/user -p 7381 -c max_connections=220" \
			>start.log 2>&1 &&
		bench -q -i -s 1 &&
		postmaster=$(head -n 1 "$work/user/db/postmaster.pid")
}

bench() {
	user pgbench "$@" -h "$work/user" -p 7381 -U user postgres \
		>bench.log 2>&1 || { cat bench.log; return 1; }
}

# follow: top, as for a terminal's frames; sets top.
follow() {
	user timeout 100000 "$profil" top --descendants -p "$postmaster" \
		>frames 2>errors &
	until top=$(pgrep -u 1000 -x profil); do
		sleep 0.1
	done
}

follow_end() {
	kill "$top"
	while [ -e "/proc/$top" ]; do
		sleep 0.1
	done
}

# begin_unit: what the unit starts, with a server that looks at what it gets.
begin_unit() {
	rm -rf state ingest
	install -d -o 1000 -g 1000 state
	python3 "$progs/ingest.py" ingest & ingest=$!
	until [ -s ingest ]; do
		sleep 0.1
	done
	ln -sf "$tree/packaging/profil-always" .
	url=http://127.0.0.1:$(head -n 1 ingest)
	(cd state && exec setpriv --reuid 1000 --regid 1000 --clear-groups \
		env PATH="$work:$PATH" PROFIL_SECONDS=60 PROFIL_KEEP=10 \
		PROFIL_PUSH_URL="$url" \
		"$work/profil-always" postgres) >unit.log 2>&1 & unit=$!
	until pgrep -u 1000 -f 'profil attach' >pids; do
		sleep 0.1
	done
}

# The shell takes the signal when its command has ended.
end_unit() {
	kill "$unit"
	pkill -INT -u 1000 -f 'profil attach'
	wait "$unit"
	kill "$ingest"
	wait "$ingest" || :
}

anonymous() {
	sed -n 's/^Anonymous: *\([0-9]*\) kB/\1/p' "/proc/$1/smaps_rollup"
}

used() {
	cut -d ' ' -f 1 "/proc/$1/schedstat"
}

workers_200() {
	bench -S -c 200 -R 200 -T 60 & benched=$!
	until [ "$(pgrep -c -P "$postmaster")" -ge 200 ]; do
		sleep 0.5
	done
	follow
	sleep 10
	before=$(used "$top")
	begin=$(cut -d . -f 1 /proc/uptime)
	sleep 20
	cpu=$(($(used "$top") - before))
	took=$(($(cut -d . -f 1 /proc/uptime) - begin))
	memory=$(anonymous "$top")
	fds=$(find "/proc/$top/fd" -mindepth 1 | wc -l)
	follow_end
	wait $benched
	tail -n 30 frames
	cat errors
	echo "$cpu ns of CPU time in $took s, $memory KiB, $fds descriptors"
	grep -qE ' 20[0-9] processes' frames && [ "$took" -ge 19 ] &&
		[ "$cpu" -gt 0 ] && [ $((cpu / took)) -le 30000000 ] &&
		[ "$memory" -gt 0 ] && [ "$memory" -le 40960 ] && [ "$fds" -le 1024 ]
}

rate() {
	bench -S -c 4 -t "$1" && sed -n 's/^tps = \([0-9.]*\) .*/\1/p' bench.log
}

# within PERCENT BEGIN END: what pgbench does with it, beside what it does alone, in
# turns.  One CPU has the server, its clients and the tool.  In its first seconds
# the tool reads the symbols of what the server has mapped, and compiles tables.
within() {
	rm -f rates
	rate 8000 >/dev/null
	for _ in 1 2 3; do
		echo "alone $(rate 8000)" >>rates
		"$2"
		rate 16000 >/dev/null
		echo "beside $(rate 8000)" >>rates
		"$3"
	done
	cat rates
	sort -k 2n rates | awk -v percent="$1" '{ nr[$1]++; value[$1, nr[$1]] = $2 }
		END { loss = 1 - value["beside", 2] / value["alone", 2]
		      print 100 * loss, "% less"
		      exit !(nr["alone"] == 3 && nr["beside"] == 3 &&
			   100 * loss <= percent) }'
}

# Each minute: memory, and what the last profile says was lost.
minutes() {
	minutes=0
	while [ $minutes -lt $((${HOUR_SECONDS:-3600} / 60)) ]; do
		minutes=$((minutes + 1))
		sleep 60
		# Between two profiles there is none.
		until attached=$(pgrep -o -u 1000 -f 'profil attach') &&
				unit_kib=$(anonymous "$attached" 2>&1) &&
				[ -n "$unit_kib" ]; do
			[ -e "/proc/$unit" ] || return 1
			sleep 0.1
		done
		newest=$(find state -name '*Z.pb.gz' | sort | tail -n 1)
		[ -n "$newest" ] || continue
		# shellcheck disable=SC2046 # its lines are words here
		echo "$(anonymous "$top")" "$unit_kib" \
			"$(find state -name '*Z.pb.gz' | wc -l)" \
			$(user "$profil" report --no-lines --json \
				-i "$work/$newest" |
				tr ',{}' '\n' | sed -n 's/^"\(seen\|lost\)":/\1 /p')
	done
}

# The server begins a worker each second, where it would each minute: 3,600 processes
# come and go, and what they use of libraries is seen early.
hour() {
	echo "autovacuum_naptime = 1" >>user/db/postgresql.conf
	user "$bin/pg_ctl" -D db reload >reload.log
	follow
	begin_unit
	bench -S -c 8 -R 100 -T $((${HOUR_SECONDS:-3600} + 2)) & benched=$!
	minutes >minutes.log 2>&1
	bench=0
	wait $benched || bench=1
	end_unit
	follow_end
	cat errors unit.log bench.log
	sed 's/^/minute: /' minutes.log
	[ "$bench" = 0 ] && ! grep -q profil: minutes.log
}

# flat COLUMN KIB: after a third of the time, few minutes have a new maximum of memory,
# and the last third has at most KIB more.  The names of a library are read when it is
# first seen, up to 1 MiB, and stay, up to 8 MiB; a leak would grow in most minutes.
flat() {
	awk -v field="$1" -v more="$2" '{ value[NR] = $field }
		END { third = int(NR / 3)
		      most = value[third + 1]
		      for (i = third + 2; i <= NR; i++) {
				if (value[i] > most) {
					most = value[i]
					rises++
				}
				if (i <= NR - third)
					middle = most
		      }
		      print middle, "KiB, then", most, "in", rises + 0, "rises"
		      exit !(third > 2 && middle > 0 && rises * 4 < NR - third &&
			     most <= middle + more) }' minutes.log
}

nothing_lost() {
	grep -c ' samples in ' frames
	! grep ' samples in .* lost' frames && ! grep lost errors unit.log &&
		awk '{ for (i = 4; i < NF; i += 2) sum[$i] += $(i + 1) }
		     END { print sum["seen"], "seen,", sum["lost"], "lost"
			   exit !(sum["seen"] > 0 && sum["lost"] == 0) }' minutes.log
}

# As many as there were minutes, and ten of them are kept.
pushed_each_minute() {
	got=$(grep -c '"samples"' ingest)
	grep -v '"samples"' ingest
	echo "$got profiles sent in ${HOUR_SECONDS:-3600} s"
	[ "$got" -ge $((${HOUR_SECONDS:-3600} / 60 - 2)) ] &&
		[ "$(awk '$3 > most { most = $3 } END { print most }' minutes.log)" = 10 ]
}

rate_was_kept() {
	sed -n 's/^tps = \([0-9.]*\) .*/\1/p' bench.log | awk '{ print
		exit !($1 > 99 && $1 < 101) }'
}

asked_workers() {
	check "hour_top_of_200_postgres_workers" workers_200
	tail -n 1 check.log | sed 's/^/# /'
}

asked_top() {
	check "hour_pgbench_beside_top_within_2_percent" within 2 follow follow_end
	tail -n 1 check.log | sed 's/^/# /'
}

asked_unit() {
	check "hour_pgbench_beside_unit_within_1_percent" \
		within 1 begin_unit end_unit
	tail -n 1 check.log | sed 's/^/# /'
}

asked_both() {
	check "hour_of_both" hour
	sed 's/^/# /' check.log
	check "hour_top_memory_is_flat" flat 1 2048
	tail -n 1 check.log | sed 's/^/# /'
	check "hour_unit_memory_is_flat" flat 2 1024
	tail -n 1 check.log | sed 's/^/# /'
	check "hour_nothing_is_lost" nothing_lost
	tail -n 1 check.log | sed 's/^/# /'
	check "hour_profile_is_sent_each_minute" pushed_each_minute
	check "hour_pgbench_keeps_its_rate" rate_was_kept
}

[ ! -e /dev/profil ] || ip link set lo up
chmod 755 .
check "hour_server_starts" serve
for part in ${HOUR:-workers top unit both}; do
	"asked_$part"
done
finish
