#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# PROFIL_ON_SIGNAL is not seen by the program: the same output and the same end
# as without, and a profile where a signal ended it.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

held="TERM INT SEGV ABRT QUIT TRAP USR1"

# A stack of the same size: the name of the variable is as long.
without() {
	without_status=0
	env PROFIL_ON_SIGNXL="$held" timeout -k 2 10 setarch -R "$@" \
		>without.out 2>without.err || without_status=$?
}

with() {
	with_status=0
	rm -f gmon.*
	env PROFIL_ON_SIGNAL="$held" timeout -k 2 10 setarch -R "$@" \
		>with.out 2>with.err || with_status=$?
}

same() {
	without "$@"
	with "$@"
	cat with.err
	diff without.out with.out &&
		[ "$with_status" -eq "$without_status" ]
}

# saved CALLS WAY: by a signal, and with a whole profile.
saved() {
	same "./$program" "$2" || return 1
	[ "$with_status" -gt 128 ] || return 1
	gprof_calls "$program" gmon.out | grep "^counted $1\$"
}

not_saved() {
	same "./$program" "$1" && ! ls gmon.*
}

child_saved() {
	saved 1000 forked || return 1
	gprof_calls "$program" gmon.out.[0-9]* | grep "^counted 1\$"
}

# Another thread asked for a stack for handlers, and the library's is too small.
small_stack_ends() {
	with "./$program" deep
	cat with.out with.err
	[ "$with_status" -eq 139 ]
}

# One of several threads, each time another.
threads_saved() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		saved 1000 threads || return 1
	done
}

first_process() {
	same unshare -pf "./$program" restored || return 1
	[ "$with_status" -eq 9 ] || return 1
	same unshare -pf "./$program" fault || return 1
	[ "$with_status" -eq 139 ] &&
		gprof_calls "$program" gmon.out | grep '^counted 1000$'
}

# As the same program does that has nothing of the library.
untouched() {
	PROFIL_ON_SIGNXL=$held timeout -k 2 10 ./plain look >plain.out 2>&1
	rc=$?
	[ $rc -gt 128 ] || return 1
	PROFIL_ON_SIGNXL=$held timeout -k 2 10 env "LD_PRELOAD=$preload" \
		./plain look >preloaded.out 2>&1
	[ $? -eq $rc ] || return 1
	# What a 64-bit program says that a 32-bit one starts.
	sed -i '/wrong ELF class/d' preloaded.out
	diff plain.out preloaded.out
}

small() {
	nm plain.static >names || return 1
	grep ' profil_signal_action$' names &&
		! grep -E ' (__monstartup|_mcleanup|profil_on_signal)$' names
}

# interpreter COMMAND...: interpreters are not built with -pg.
interpreter() {
	without "$@"
	cat without.out
	with env PROFIL_DSO=1 LD_PRELOAD="$preload" "$@"
	diff without.out with.out && [ "$with_status" -eq "$without_status" ]
}

# actions NAME FLAG...: actions.c with the files of its ways.
actions() {
	actions_name=$1
	shift
	build "$actions_name" actions.c "$progs"/actions_*.c \
		-Wno-infinite-recursion -Wno-deprecated-declarations "$@"
}

made() {
	program=$1
	shift
	actions "$program" -fno-optimize-sibling-calls "$@"
}

made actions -pg -L"$PROFIL_LIB_DIR" -lprofil -Wl,-rpath,"$PROFIL_LIB_DIR"
check "what the program is told of its actions" saved 1000 look
check "a handler that chains, set by signal" saved 1000 chain_signal
check "a handler that chains, set by sigaction" saved 1000 chain_sigaction
check "a handler of a fault that chains" saved 1000 chain_fault
check "the library's handler called by a handler" saved 1000 called
check "the library's handler called for a fault" saved 1000 called_fault
check "the library's handler called by the program" saved 1000 called_plain
check "a handler set only over the default action" not_saved over_default
check "the action that was there, set again" saved 1000 restored
check "after a handler that runs once" saved 1000 once
check "after one that runs once for a fault" saved 1000 once_fault
check "after one that __sysv_signal set" saved 1000 once_sysv
check "two signals at once: the first ends it" saved 1000 both_pending
check "a signal that is waited for" saved 1000 waits
check "a signal that ends sigsuspend" saved 1000 suspended
check "the same signal in four threads" threads_saved
check "a child of vfork" saved 1001 vforked
check "a child of fork" child_saved
check "a stack for handlers is not seen" saved 1000 altstack
check "SA_ONSTACK without such a stack" saved 1000 onstack
check "a handler too large for the stack" small_stack_ends
for way in fault killed queued general_protection breakpoint abort; do
	check "a core dump's place and cause: $way" \
		same "./$program" traced "$way"
done
if unshare -pf true 2>/dev/null; then
	check "the first process of a container" first_process
else
	skip "the first process of a container" "needs root"
fi

case $CC in
*-m32*) ;;
*)
	cat >interrupt.py <<-'END'
	import os, signal, time
	try:
	    os.kill(os.getpid(), signal.SIGINT)
	    time.sleep(1)
	except KeyboardInterrupt:
	    print("KeyboardInterrupt", signal.getsignal(signal.SIGTERM))
	os.kill(os.getpid(), signal.SIGTERM)
	END
	check "python3: KeyboardInterrupt" \
		interpreter /usr/bin/python3 interrupt.py
	# shellcheck disable=SC2016 # for bash and perl
	check "bash: trap" interpreter bash -c 'trap "echo int" INT
		kill -INT $$; trap - INT; trap -p; kill -TERM $$; echo no'
	# shellcheck disable=SC2016
	check "perl: %SIG" interpreter perl -e '$| = 1;
		$SIG{INT} = sub { print "int\n" }; kill "INT", $$;
		print $SIG{TERM} // "default", "\n"; $SIG{TERM} = "DEFAULT";
		kill "TERM", $$; print "no\n"'
	;;
esac

actions plain
check "without PROFIL_ON_SIGNAL: the C library's calls" untouched

for kind in static static-pie; do
	made "actions.$kind" -DSTATIC -pg "-$kind" -L"$PROFIL_LIB_DIR" -lprofil
	for way in look chain_signal chain_fault called once vforked; do
		calls=1000
		[ "$way" != vforked ] || calls=1001
		check "$kind: $way" saved $calls "$way"
	done
done
actions plain.static -DSTATIC -static -L"$PROFIL_LIB_DIR" -lprofil
check "a static program without -pg gets these calls only" small
finish
