#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil run and attach on programs as Debian built them, as an ordinary user,
# and perf beside it, as root: each function's share is the same.  For the guest.
#
# From the environment: REAL_SECONDS, of each program (20), REAL, which of them,
# REAL_MEMLOCK, the limit of all in bytes, and REAL_ALONE, without perf.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

seconds=${REAL_SECONDS:-20}
late=${REAL_ALONE:+20}
late=${late:-0}
memlock=$((8 << 20))

# records ARG...: perf, which writes perf.data.
records() {
	perf record -q -e cpu-clock:u -F 1000 -m 1024 -o perf.data "$@" >said 2>&1 ||
		{ cat said; return 1; }
}

# seen COMMAND...: what perf sees while the command runs.
seen() {
	if [ -n "${REAL_ALONE-}" ]; then
		"$@" >said 2>&1 || { cat said; return 1; }
	elif [ -n "$stacks" ]; then
		walked "$@"
	else
		records -- "$@"
	fi
}

# walked COMMAND...: perf joins python3 when it runs.  perf keeps the maps of the
# programs before an exec, and has no rules for a library that lay lower in one.
walked() {
	"$@" >walked.out 2>&1 &
	walked_pid=$!
	until joined=$(pgrep -u 1000 -x python3); do
		kill -0 $walked_pid 2>/dev/null || { cat walked.out; return 1; }
		sleep 0.1
	done
	# shellcheck disable=SC2086 # two words
	records $stacks -p "$joined" || :
	wait $walked_pid || { cat walked.out; return 1; }
}

compare() {
	[ -z "${REAL_ALONE-}" ] || return 0
	perf script -i perf.data --show-mmap-events --show-task-events \
		--no-inline -F comm,pid,tid,time,ip${stacks:+,dso} >perf.txt 2>/dev/null
	# What starts the program is not followed by the tool.
	python3 "$progs/beside.py" ${stacks:+--inclusive} user/profil.pb.gz perf.txt \
		profil timeout setpriv prlimit env perf
}

# ended: where the paths end that are not whole, and how many; and what has no path.
ended() {
	user "$profil" report --no-lines --tree --csv --limit 0 >tree || return 1
	python3 - <<-'END'
		import collections, csv
		count = collections.Counter()
		none = 0
		for row in csv.DictReader(open("tree", newline="")):
		    if row["depth"] == "1":
		        end = row["name"]
		        none += int(row["total"]) if end == "[no path]" else 0
		    elif row["depth"] == "2" and end.startswith("[path ended"):
		        count[end, row["name"], row["object"]] += int(row["total"])
		for place, samples in count.most_common():
		    print(samples, *place)
		open("none", "w").write(str(none))
	END
}

# paths PERMILLE: so many are whole, less 3 sigma.  Not counted are the first 200 ms
# of the programs, in which their libraries come, and the last, when the stack has
# gone.  The loader's first call of a function has no rule that the kernel knows.
# Without perf the recording begins late: what has no path then is not whole, but
# for 200 ms of each program where they are started anew.
paths() {
	early=0
	[ -z "$anew" ] || early=$((200 * $(user "$profil" report --no-lines --csv \
		--by process | wc -l)))
	user "$profil" report --no-lines --json >json && ended >ends || return 1
	head -n 12 ends
	lazy=$(awk '/no rule\] _dl_runtime_resolve/ { n += $1 } END { print n + 0 }' ends)
	tr -d '\n' <json | sed 's/.*"paths":{\([^}]*\)}.*"rows".*/\1/' | tr , '\n' |
		tr -d '"' | awk -F: -v least="$1" -v memlock="$memlock" -v lazy="$lazy" \
			-v none="$(cat none)" -v early="$early" -v late="$late" '
		{ print "path", $1, $2; sum += $2; end[$1] = $2 }
		END {
			first = end["unmapped"] + end["no tables"] + \
				end["no rule"] - lazy
			if (first > 400)
				first = 400
			print none, "without one, of which", early, "are early"
			none = late == 0 || none < early ? 0 : none - early
			n = sum + none - end["not readable"] - first - lazy
			p = 1 - least / 1000
			bad = n - end["whole"]
			most = n * p + 3 * sqrt(n * p * (1 - p))
			print "not whole", bad, "of", n, "at most", most, \
				"beside", lazy, "first calls, without one", none
			exit !(n > 0 && (bad <= most || memlock == 65536))
		}'
}

# beside COMMAND...: for so long, under profil run.
beside() {
	# What is left of the program before would be compared.
	rm -f user/profil.pb.gz* perf.data
	cat >user/runs <<-END
		#!/bin/sh
		exec $profil run --delay $late timeout $((late + seconds)) \
			"\$@" >/dev/null 2>errors
	END
	chmod 755 user/runs
	: >user/errors
	chown -R 1000:1000 user
	# A user may not raise it, where the kernel gives 64 KiB.
	seen prlimit "--memlock=$memlock:$memlock" \
		setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all \
		env -C "$work/user" HOME="$work/user" ./runs "$@" || :
	cp user/errors errors
	cat errors
	compare && paths "${whole:-999}"
}

in_python() {
	cat >user/load.py <<-'END'
		import json, re, random, sys, time
		time.sleep(float(sys.argv[1]))
		random.seed(1)
		while True:
		    d = {str(i): [random.random() for _ in range(5)] for i in range(500)}
		    t = json.dumps(d, indent=1)
		    e = json.loads(t)
		    w = sorted(e, key=lambda k: e[k][0])
		    n = sum(float(x) for x in re.findall(r"\d\.\d+", t))
	END
	beside python3 load.py "${1:-0}"
}

# perf copies 64 KiB of the stack with each sample, and walks it afterwards.
# python3 waits for perf, and neither has what it does before.
in_callers() {
	[ -z "${REAL_ALONE-}" ] || { echo "this one is beside perf alone"; return 1; }
	late=20
	stacks="--call-graph dwarf,65528"
	in_python $late
}

in_perl() {
	# shellcheck disable=SC2016 # perl's
	beside perl -e 'while (1) { my %h; $h{$_ * 7919 % 5003} .= "x$_" for 1 .. 20000;
		my $n = 0; for (sort keys %h) { $n++ while $h{$_} =~ /x\d+7/g } }'
}

in_gawk() {
	beside gawk 'BEGIN { while (1) { delete a; for (i = 0; i < 20000; i++)
		a[i % 997] = a[i % 997] substr("abcdefgh", i % 8, 1)
		for (k in a) n += gsub(/c/, "d", a[k]) } }'
}

in_xz() {
	cat /usr/bin/python3 /usr/bin/perl /usr/bin/gawk >user/data
	anew=1
	beside sh -c 'while :; do xz -T2 -6 -c data; done'
}

in_node() {
	whole=990
	cat >user/load.js <<-'END'
		for (;;) {
			const o = {};
			for (let i = 0; i < 5000; i++)
				o['k' + i * 7919 % 5003] = [i, String(i), { v: i / 3 }];
			const t = JSON.stringify(o);
			const p = JSON.parse(t);
			Object.keys(p).sort().map(k => p[k][1].replace(/7/g, 'x')).join();
		}
	END
	beside node load.js
}

sources() {
	mkdir -p "user/$1"
	i=0
	while [ $i -lt "$2" ]; do
		awk -v f=$i -v n="$3" 'BEGIN {
			print "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>"
			for (i = 0; i < n; i++)
				print "int f" f "_" i "(int a, const char *s) { char b[64]; " \
				      "for (int i = 0; i < a; i++) { b[i & 63] = s[i % 7]; " \
				      "a ^= (b[i & 31] * " i ") >> 3; } if (a & 1) " \
				      "printf(\"%d\", a); return a + (int)strlen(s); }" }' \
			>"user/$1/f$i.c"
		i=$((i + 1))
	done
}

in_gcc() {
	whole=900
	anew=1
	sources large 1 800
	beside sh -c 'while :; do gcc -O2 -c -o /dev/null large/f0.c; done'
}

in_make() {
	whole=900
	anew=1
	sources small 20 20
	cat >user/small/Makefile <<-'END'
		all: $(patsubst %.c,%.o,$(wildcard *.c))
		clean: ; rm -f *.o
	END
	beside sh -c 'while :; do make -s -C small clean; make -s -j2 -C small; done'
}

# It reads without end.
in_rust() {
	beside sh -c 'yes "int function_12(int argument, char *other)" |
		rg -c "[a-z]+_\d+\(int \w+" -'
}

in_cxx() {
	beside sh -c 'yes "A line of \fBbold\fP text, and an \(em dash." |
		troff -Tutf8'
}

# The tables of its libraries, which have 100 MB, take seconds on an emulator.
in_llvm() {
	whole=900
	anew=1
	sources format 1 300
	beside sh -c 'while :; do clang-format format/f0.c; done'
}

# It reads without end, and prints what it finds at once.
in_go() {
	whole=990
	awk 'BEGIN { for (i = 0; i < 100000; i++) print i * 7919 % 1000003, "line", i }' \
		>user/lines
	beside sh -c 'while :; do cat lines; done | fzf +s -f 13'
}

bash_runs() {
	# shellcheck disable=SC2016 # bash's
	beside "$1" -c 'f() { local x=$1; s=$((s + x * 3 % 7)); }
		for ((i = 0; ; i++)); do f $i; done'
}

in_bash() {
	bash_runs bash
}

in_static() {
	bash_runs bash-static
}

# built COMPILER FLAG...: our own program, because Debian has none of that kind.
built() {
	"$@" -O2 -o user/callers "$progs/callers.c" -lpthread &&
		beside ./callers 100000000
}

in_pie() {
	built gcc -static-pie
}

# Its C library has no tables.
in_musl() {
	whole=0
	built musl-gcc && python3 "$progs/outside.py" 999 musl user/profil.pb.gz
}

# serve PORT CLIENT... -- SERVER...: the server is recorded, and the client is not.
serve() {
	serve_port=$1
	shift
	serve_client=
	while [ "$1" != -- ]; do
		serve_client="$serve_client $1"
		shift
	done
	shift
	cat >user/client <<-END
		#!/bin/sh
		connect="import socket; socket.create_connection(('127.0.0.1', $serve_port))"
		until python3 -c "\$connect" 2>/dev/null; do sleep 0.2; done
		end=\$((\$(date +%s) + $late + $seconds))
		while [ \$(date +%s) -lt \$end ]; do $serve_client; done
	END
	chmod 755 user/client
	user ./client >client.out 2>&1 &
	serve_pid=$!
	beside "$@"
	serve_is=$?
	kill $serve_pid 2>/dev/null || :
	wait $serve_pid || :
	return $serve_is
}

in_redis() {
	serve 7379 redis-benchmark -q -n 20000 -c 10 -t set,get,lpush -p 7379 -- \
		redis-server --port 7379 --save "''"
}

in_nginx() {
	cat >user/nginx.conf <<-END
		daemon off;
		worker_processes 2;
		pid $work/user/nginx.pid;
		error_log $work/user/nginx.err;
		events { worker_connections 64; }
		http {
			access_log off;
			client_body_temp_path $work/user/body;
			proxy_temp_path $work/user/proxy;
			fastcgi_temp_path $work/user/fastcgi;
			uwsgi_temp_path $work/user/uwsgi;
			scgi_temp_path $work/user/scgi;
			server {
				listen 127.0.0.1:7380;
				root /usr/share/common-licenses;
				location / { gzip on; gzip_types *; }
			}
		}
	END
	serve 7380 wrk -c 8 -t 1 -d 2 -H Accept-Encoding:gzip \
		http://127.0.0.1:7380/GPL-3 -- nginx -c "$work/user/nginx.conf"
}

in_postgres() {
	bin=$(dirname "$(find /usr/lib/postgresql/*/bin -name initdb | tail -n 1)")
	user "$bin/initdb" -D db -A trust -U user >/dev/null
	user "$bin/pg_ctl" -D db -w -o "-k $work/user -p 7381" -l log start >/dev/null
	user pgbench -q -i -s 1 -h "$work/user" -p 7381 -U user postgres >/dev/null 2>&1
	user "$bin/pg_ctl" -D db -w stop >/dev/null
	serve 7381 pgbench -n -S -c 4 -T 2 -h "$work/user" -p 7381 -U user postgres -- \
		"$bin/postgres" -D db -k "$work/user" -p 7381
}

chmod 755 .
if ! command -v ip >/dev/null || ! ip link set lo up; then
	unable=${unable:-"there is no loopback here"}
fi
all="python perl gawk xz bash node gcc make rust cxx llvm redis nginx postgres go static pie musl"
for name in ${REAL:-$all}; do
	# Beside perf, every other one has the limit of Debian 10, which holds the
	# tables of small programs alone.
	if [ -n "${REAL_MEMLOCK-}" ]; then
		memlock=$REAL_MEMLOCK
	elif [ -z "${REAL_ALONE-}" ] && [ "$memlock" -gt 65536 ] &&
			[ "$name" != callers ]; then
		memlock=65536
	else
		memlock=$((8 << 20))
	fi
	whole=999
	stacks=
	anew=
	check "real: $name, ${REAL_ALONE:+not }beside perf, $memlock bytes of memlock" "in_$name"
	sed 's/^/# /' "$work/check.log"
done
finish
