#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The programs in docs/observers.md compile, and count.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2016 # for the shell that runs it
burn='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'

# compiles N NAME: the n-th program of the page.
compiles() {
	awk -v n="$1" '/^```$/ { on = 0 } on && count == n { print }
		/^```c$/ { on = 1; count++ }' "$tree/docs/observers.md" >"$2.c"
	test -s "$2.c" &&
		$CC -O2 -Wall -Wextra -Werror "-I$tree/uapi" -o "$2" "$2.c"
}

observes_itself() {
	compiles 1 self && ./self >out && cat out &&
		awk '{ sum += $2 } END { exit !(sum > 0) }' out
}

follows_a_script() {
	compiles 2 follow && ./follow sh -c "$burn; (exit 3)" >out && cat out &&
		grep '^[0-9][0-9]* /.*sh$' out && grep '^[1-9][0-9]* samples$' out
}

attaches_to_a_pid() {
	sh -c "while :; do $burn; done" &
	pid=$!
	status=0
	{ compiles 3 attach && ./attach "$pid" 2 >out && cat out &&
		grep '^[1-9][0-9]* samples in the program' out; } || status=1
	kill "$pid"
	return "$status"
}

check "a program observes itself" observes_itself
check "a tool follows a script" follows_a_script
check "a tool attaches to a pid" attaches_to_a_pid
finish
