#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the command profil costs beside what it records, as an ordinary user: in a
# guest whose clock counts instructions, one a nanosecond.  Elsewhere it compiles
# what that runs.
# shellcheck disable=SC2317,SC2154,SC2034 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"
# While such a guest waits for a file, its time flies.
RECORD_TIMEOUT=20000

# At 1,000 samples a second, with call paths and a SWAP each 200 ms.  The least of
# five counts, because a guest beside this one adds to them.
python_watched() {
	for _ in 1 2 3 4 5; do
		record 0 -q python3 "$progs/watched.py" 10 || return 1
		awk '{ print $1, "in the first second,", $2, "in each second"
		       exit !(NR == 1 && $2 > 0 && $2 <= 5000000) }' got &&
			return 0
	done
	return 1
}

# median COMMAND...: CPU time of it and of what it starts, in nanoseconds, of 20 runs.
median() {
	for _ in $(seq 20); do
		"$@" >/dev/null 2>&1
	done
	python3 -c 'import resource, subprocess, sys
def used():
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime
def one():
    begin = used()
    subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return used() - begin
print(round(sorted(one() for i in range(20))[10] * 1e9))' "$@"
}

# Half of what perf stat adds to it, at most.
run_true() {
	alone=$(cd user && median true)
	profil=$(cd user && median "$profil" run -q true)
	perf=$(cd user && median perf stat true)
	echo "true $alone, profil run $profil, perf stat $perf"
	[ $((2 * (profil - alone))) -le $((perf - alone)) ]
}

check "cost_python3_watched_5_million_a_second" python_watched
sed 's/^/# /' check.log
if command -v perf >/dev/null; then
	check "cost_run_true_is_half_of_perf_stat" run_true
	sed 's/^/# /' check.log
else
	skip "cost_run_true_is_half_of_perf_stat" "there is no perf"
fi
finish
