#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The calls that the library stands before do what they do without it.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# same LIBRARIES PROGRAM CALL: the output and the status are those without it.
same() {
	libraries=$1
	wanted=0
	status=0
	timeout -k 1 20 env LD_PRELOAD="$libraries" "./$2" "$3" \
		>plain.out 2>&1 || wanted=$?
	timeout -k 1 20 env LD_PRELOAD="$preload $libraries" "./$2" "$3" \
		>said 2>errors || status=$?
	cat said errors
	echo "ended with $status, without the library $wanted"
	diff plain.out said && [ "$status" -eq "$wanted" ]
}

passed_on() {
	for call in _exit _Exit execvp prctl; do
		same "$work/next.so" preload "$call" && grep "^$call comes here" said ||
			return 1
	done
}

# The search for a device, and for why there is none, opens files.
not_cancelled() {
	PROFIL_BACKEND=
	export PROFIL_BACKEND
	for call; do
		echo "$call"
		same "" cancel "$call" && same "" cancel_pg "$call" || return 1
	done
}

not_cancelled_static() {
	for call in profil sprofil monstartup; do
		status=0
		PROFIL_BACKEND='' ./cancel_static "$call" || status=$?
		echo "$call ended with $status"
		[ "$status" -eq 4 ] || return 1
	done
}

build preload preload.c
build cancel cancel.c
build cancel_pg cancel.c -pg
build cancel_static cancel.c -static "$PROFIL_LIB_DIR/libprofil.a"
build next.so preload_next.c -shared -fPIC
check "preload_other_libraries_get_the_calls" passed_on
check "preload_exit_group_refused_ends_as_without" same "" preload refused
check "preload_prctl_answers_as_without" same "" preload prctl
check "cancel_pending_exit_ends_the_program" not_cancelled exit _exit
check "cancel_pending_profil_returns" not_cancelled profil sprofil monstartup
check "cancel_pending_profil_returns_static" not_cancelled_static
finish
