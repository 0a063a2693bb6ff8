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

# Others have execvp(), and not always execvpe().
execlp_passed_on() {
	env LD_PRELOAD="$preload $work/next.so" ./preload execlp >said
	cat said
	grep '^execvp comes here' said
}

# The program's own variable of the name is not the C library's.
own_environ() {
	for call in execl execlp; do
		FOO=bar timeout 20 env LD_PRELOAD="$preload" ./own_environ \
			$call >said 2>errors
		cat said errors
		[ "$(cat said)" = bar ] || return 1
	done
}

# edge WAY STATUS: with the backend as it is found.
edge() {
	status=0
	env "${3-PROFIL_BACKEND=}" timeout -s KILL 20 ./edges "$1" >said 2>&1 ||
		status=$?
	cat said
	echo "ended with $status"
	[ "$status" -eq "$2" ]
}

no_deadlock() {
	timeout -s KILL 20 ./monitor_loader once
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
build own_environ own_environ.c
build edges edges.c -L"$PROFIL_LIB_DIR" -lprofil -Wl,-rpath,"$PROFIL_LIB_DIR"
build monitor_loader monitor_loader.c -rdynamic -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
echo "void from_constructor(void);
	__attribute__((constructor)) static void begin(void)
	{ from_constructor(); }" | $CC -xc - -shared -fPIC -o waits.so
check "preload_other_libraries_get_the_calls" passed_on
check "preload_execlp_is_their_execvp" execlp_passed_on
check "preload_program_may_have_an_environ" own_environ
check "sandbox_with_sigsys_handler_profil" edge trap 0
check "sandbox_with_sigsys_handler_monstartup" edge trap_start 0
check "sandbox_after_monstartup_is_not_killed" edge sandbox 0
check "full_pipe_leaves_signals_choice" edge full 142 PROFIL_BACKEND=none
if [ -e /dev/profil ]; then
	skip "full_pipe_leaves_signals_monstartup" "with the device it says nothing"
else
	check "full_pipe_leaves_signals_monstartup" edge full_start 142
fi
check "exec_leaves_a_limit_by_itimer_prof" edge limit 155 PROFIL_BACKEND=libc
check "stack_guard_locks_no_memory" edge locked 0 PROFIL_ON_SIGNAL=SEGV
check "loader_and_choice_do_not_wait_for_other" no_deadlock
check "preload_exit_group_refused_ends_as_without" same "" preload refused
check "preload_prctl_answers_as_without" same "" preload prctl
check "cancel_pending_exit_ends_the_program" not_cancelled exit _exit
check "cancel_pending_profil_returns" not_cancelled profil sprofil monstartup
check "cancel_pending_profil_returns_static" not_cancelled_static
finish
