#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The calls that the library stands before do what they do without it.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# same LIBRARIES CALL: the output and the status that there are without it.
same() {
	libraries=$1
	wanted=0
	status=0
	timeout -k 1 20 env LD_PRELOAD="$libraries" ./preload "$2" \
		>plain.out 2>&1 || wanted=$?
	timeout -k 1 20 env LD_PRELOAD="$preload $libraries" ./preload "$2" \
		>said 2>errors || status=$?
	cat said errors
	echo "ended with $status, without the library $wanted"
	diff plain.out said && [ "$status" -eq "$wanted" ]
}

passed_on() {
	for call in _exit _Exit execvp prctl; do
		same "$work/next.so" "$call" && grep "^$call comes here" said ||
			return 1
	done
}

build preload preload.c
build next.so preload_next.c -shared -fPIC
check "preload_other_libraries_get_the_calls" passed_on
check "preload_exit_group_refused_ends_as_without" same "" refused
check "preload_prctl_answers_as_without" same "" prctl
finish
