#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Shared objects: all calls are counted from the first constructor on, also if the
# object was loaded several times.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/dso.sh"

# Not on arm64, and not for 32-bit objects.
fentry=-mfentry
echo 'void f(void) { }' | $CC -pg $fentry -fPIC -x c -c -o /dev/null - \
	2>/dev/null || fentry=

# What links a program that exports no __gmon_start__, and needs the preload.
stub() {
	echo '{ local: *; };' >none.map
	echo "int profil_dso_start, profil_counts_get;" |
		$CC -xc - -shared -nostdlib -Wl,-soname,libprofil.so.1 -o stub.so
}

objects() {
	common_objects && mkdir -p hidden now norelro fentry || return 1
	object hidden/p4.so 4 1 && object now/p4.so 4 1 -Wl,-z,now &&
		object norelro/p4.so 4 1 -Wl,-z,norelro || return 1
	# shellcheck disable=SC2086 # a flag, or none
	object fentry/p4.so 4 1 $fentry || return 1
	build r6.so dso_object.c -pg -shared -fPIC -DID=6 \
		-Wl,--enable-new-dtags,-rpath,"\$ORIGIN/hidden" || return 1
	stub && build preloaded dso.c -pg -Wl,--export-dynamic-symbol=counted \
		stub.so || return 1
	build memory dso_memory.c -pg -rdynamic || return 1
	# shellcheck disable=SC2086 # a list of words
	build bare dso.c -rdynamic -DLINKED -Wl,-rpath,"\$ORIGIN" $flags \
		lib1.so lib2.so lib3.so || return 1
	# shellcheck disable=SC2086 # a list of words
	build plain dso.c -rdynamic $flags
}

calls() {
	run "$@" || return 1
	cat errors
	agree counted "gmon.${run_program##*/}".*/gmon.*.out || return 1
	[ ! -e gmon.out ] || agree counted gmon.*.out
}

called_back() {
	gprof_calls linked gmon.out | sed -n 's/^back /program back /p' >back
	grep ^program counted | diff - back
}

off() {
	dso=0 run dso runpath || return 1
	! ls gmon.*.out || return 1
	gprof_calls dso gmon.out | grep '^use '
}

deep() {
	for kind in . now norelro fentry; do
		where=$kind LD_PRELOAD=$preload calls preloaded deep \
			"./$kind" || return 1
	done
	! grep RTLD_DEEPBIND errors
}

# There the look is after the constructors: this is said.
deep_exported() {
	run dso deep . && grep 'p4.so.*of its constructors are not' errors ||
		return 1
	gprof_calls p4.so gmon.p4.so.out >deep.calls
	grep '^work_4 2$' deep.calls
}

# Nothing is exported, so that the tables of names for others are empty.
quiet() {
	build quiet dso_quiet.c -pg -DPROGRAM stub.so &&
		build quiet.so dso_quiet.c -pg -shared -fPIC \
			-Wl,--version-script=none.map || return 1
	rm -rf gmon.*
	PROFIL_DSO=1 LD_PRELOAD=$preload ./quiet 2>errors || return 1
	cat errors
	gprof_calls quiet.so gmon.quiet.so.out >quiet.calls
	cat quiet.calls
	grep '^inner 3$' quiet.calls
}

# It goes on after the second that it may wait for.
constructor_closes() {
	echo "void from_constructor(void);
		__attribute__((constructor)) static void begin(void)
		{ from_constructor(); }" |
		$CC -xc - -pg -shared -fPIC -o hidden/waits.so || return 1
	# shellcheck disable=SC2086 # a list of words
	build locks dso_locks.c -pg -rdynamic $flags \
		-Wl,--enable-new-dtags,-rpath,"\$ORIGIN/hidden" || return 1
	rm -rf gmon.*
	PROFIL_DSO=1 LD_PRELOAD=$preload timeout 60 ./locks 2>errors || {
		echo "$?"
		cat errors
		return 1
	}
}

# A name space of its own has no libprofil, and nothing there is counted.
name_space() {
	run dso space && grep 'libm.so.6: not profiled' errors
}

unknown() {
	dso=yes run linked linked 1 || return 1
	cat errors
	grep -c PROFIL_DSO=yes errors | grep '^1$' && ! ls gmon.*.out
}

# limited LIMIT ARG...: "memory ARG..." as an ordinary user with that limit.
limited() {
	rm -rf gmon.*
	limit=$1
	shift
	PROFIL_DSO=1 as_nobody prlimit "$limit" \
		env LD_PRELOAD="$work/libprofil.so.1" ./memory "$@" \
		>counted 2>errors
	limited_status=$?
	cat counted errors
	[ $limited_status -eq 0 ] && agree counted gmon.*.out &&
		! grep "coarse bins\|no memory\|not profiled" errors
}

locked() {
	limited --memlock=8388608 lock
}

mapped() {
	limited --as=30000000
}

# More different calls than there was room for at the start; also in a child.
many_calls() {
	rm -rf gmon.*
	LD_PRELOAD=$preload PROFIL_DSO=1 ./memory calls 100000 2>errors ||
		return 1
	cat errors
	gprof_calls memory gmon.out >many
	cat many
	grep '^arc 200000$' many || return 1
	! grep "not counted" errors
}

own_libc() {
	PROFIL_BACKEND=libc own open && grep "the C library has one" errors
}

# Enough to lose the race, where there is time for it.
often=3000
times=100
[ ! -e /dev/profil ] || { often=50 && times=10; }
check "objects and programs" objects
check "calls in three libraries, and in their constructors" \
	calls linked linked 100
check "calls from them in the program" called_back
check "calls in an object that four threads open and close" calls dso loop $times
check "calls in two objects that threads open and close" calls dso race "$often"
check "calls in two objects at the same address by turns" calls dso swap $times
where=hidden check "an object that only its opener's RUNPATH finds" \
	calls dso runpath
where=hidden check "the same where shared objects are not profiled" off
check "calls in an object that is opened with RTLD_DEEPBIND" deep
check "RTLD_DEEPBIND where the program exports its own __gmon_start__" \
	deep_exported
check "dso_deep_object_that_exports_nothing" quiet
check "dso_constructor_closes_while_another_opens" constructor_closes
check "an object in another name space is said not to be profiled" name_space
check "an unknown PROFIL_DSO is ignored, and said once" unknown
dso=0 check "profil_dso_start() in the middle" calls dso late
check "a program that is not built with -pg, and its libraries" \
	calls bare linked 10
check "a program that is not built with -pg, and what it opens" \
	calls plain swap $times
check "the program's own profile in the C library goes on" own_libc
case $CC-$(uname -m) in
*-m32*) skip "100000 different calls" "they are made for 64 bits" ;;
*-x86_64) check "100000 different calls" many_calls ;;
*) skip "100000 different calls" "they are made for x86-64" ;;
esac
if [ "$(id -u)" -eq 0 ]; then
	check "mlockall() of an ordinary user with 8 MiB" locked
	check "a program with 30 MB of address space" mapped
fi
finish
