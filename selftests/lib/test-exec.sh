#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A process that is sampled by SIGPROF executes a program: the timer ends with the
# program that it is for, and nothing else changes.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

PROFIL_BACKEND=libc
export PROFIL_BACKEND
PATH=$PATH:$work

calls="execve execv execvp execvpe fexecve execl execlp execle"
if echo '#include <unistd.h>' | $CC -xc -E -D_GNU_SOURCE - | grep -q execveat; then
	calls="$calls execveat"
	has=-DHAS_EXECVEAT
fi

# Calls with an argument for the environment have this in it.
environment() {
	case $1 in
	*e | execveat) echo there ;;
	*) echo "not set" ;;
	esac
}

# executed WAY CALL FILE COMMAND...: the program that looks finds nothing.
executed() {
	way=$1
	call=$2
	file=$3
	shift 3
	echo "no timer, nothing pending, LOOK is $(environment "$call"): one two" \
		>wanted
	[ "$file" != sight ] || sed -i 's/$/ (found)/' wanted
	status=0
	"$@" >said 2>errors || status=$?
	cat said errors
	diff wanted said && [ "$status" -eq 0 ]
}

# The path, or for those that search one the name alone.
each_call() {
	way=$1
	for call in $calls; do
		echo "$call"
		executed "$way" "$call" ./sight under ./exec "$way" "$call" \
			./sight || return 1
		case $call in
		*p | *pe)
			executed "$way" "$call" sight under ./exec "$way" \
				"$call" sight || return 1
			;;
		esac
	done
}

# A program of whatever kind that another runs, as a shell, make or env.
burns() {
	under ./exec fork execvp ./burns && PROFIL_DSO=1 under env \
		-u PROFIL_DSO -u LD_PRELOAD ./burns
}

of_objects() {
	executed now execv ./sight env PROFIL_DSO=1 LD_PRELOAD="$preload" \
		env -u PROFIL_DSO -u LD_PRELOAD ./sight one two
}

own_stays() {
	under ./plain own execv ./sight >said 2>errors
	cat said
	grep '^a timer' said
}

# fails CALL FILE: the same error as without the library.
fails() {
	./plain fails "$1" "$2" >plain.said
	under ./exec fails "$1" "$2" >said 2>errors
	cat errors
	diff plain.said said || return 1
	! grep Success said
}

errors_stay() {
	for call in $calls; do
		echo "$call"
		fails "$call" missing && fails "$call" ./locked || return 1
	done
}

# early WAY CALL FILE COMMAND...: by a constructor that is before the library's.
early() {
	env WAY="$1" CALL="$2" FILE="$3" PROFIL_DSO="$dso" \
		LD_PRELOAD="$preload $work/early.so" ./plain
}

each_early() {
	for call in $calls; do
		for dso in 0 1; do
			echo "$call $dso"
			executed "$1" "$call" ./sight early "$1" "$call" \
				./sight || return 1
		done
	done
}

early_search() {
	for dso in 0 1; do
		executed now execvp sight early now execvp sight || return 1
		early now execlp by_shell >said || return 1
		[ "$(cat said)" = "by the shell: one two" ] || return 1
		for file in missing locked ./locked "" "$(printf %0300d 0)"; do
			WAY=fails CALL=execvpe FILE=$file \
				LD_PRELOAD=$work/early.so ./plain >plain.said
			early fails execvpe "$file" >said
			diff plain.said said || return 1
		done
	done
}

build sight sight.c
# shellcheck disable=SC2086 # none, or a flag
build exec exec.c ${has-} -pg
# shellcheck disable=SC2086
build plain exec.c ${has-}
# shellcheck disable=SC2086
build early.so exec.c ${has-} -DEARLY -shared -fPIC
cat >burns <<'END'
#!/bin/sh
i=0
while [ $i -lt 50000 ]; do i=$((i + 1)); done
END
echo 'echo by the shell: "$@"' >by_shell
: >locked
chmod 755 burns by_shell
check "exec_leaves_no_timer_to_the_program" each_call now
check "exec_in_a_forked_child_leaves_no_timer" each_call fork
check "exec_in_a_vforked_child_ends_no_timer" each_call vfork
check "exec_in_a_thread_leaves_no_timer" each_call thread
check "exec_leaves_no_sigprof_pending" each_call pending
check "exec_of_what_burns_cpu_time_goes_on" burns
check "exec_with_shared_objects_leaves_no_timer" of_objects
check "exec_leaves_the_programs_own_timer" own_stays
check "exec_that_fails_changes_nothing" errors_stay
check "exec_before_the_librarys_constructor" each_early now
check "exec_in_an_early_vforked_child" each_early vfork
check "exec_early_searches_as_libc_does" early_search
finish
