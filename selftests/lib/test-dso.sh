#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Shared objects: each has its own file with all calls from the first
# constructor on, also if the object was loaded several times.
# With "shares": the samples, for which there must be a kernel.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

object() {
	object_name=$1 object_id=$2 object_part=$3
	shift 3
	build "$object_name" dso_object.c -pg -shared -fPIC \
		"-DID=$object_id" "-DPART=$object_part" "$@"
}

# What links a program that exports no __gmon_start__, and needs the preload.
stub() {
	echo '{ local: *; };' >none.map
	echo "int profil_dso_start, profil_counts_get;" |
		$CC -xc - -shared -nostdlib -Wl,-soname,libprofil.so.1 -o stub.so
}

objects() {
	mkdir -p hidden a b heavy now norelro fentry
	for id in 1 2 3; do
		object "lib$id.so" $id $id || return 1
	done
	object p4.so 4 1 && object p5.so 5 1 || return 1
	object heavy/p4.so 4 100 && object heavy/p5.so 5 100 || return 1
	object hidden/p4.so 4 1 && object a/p4.so 4 1 && object b/p4.so 5 1 ||
		return 1
	# shellcheck disable=SC2086 # a flag, or none
	object now/p4.so 4 1 -Wl,-z,now && object norelro/p4.so 4 1 -Wl,-z,norelro &&
		object fentry/p4.so 4 1 $fentry || return 1
	build r6.so dso_object.c -pg -shared -fPIC -DID=6 \
		-Wl,--enable-new-dtags,-rpath,"\$ORIGIN/hidden"
	# shellcheck disable=SC2086 # a list of words
	stub && build preloaded dso.c -pg -Wl,--export-dynamic-symbol=counted \
		stub.so || return 1
	# shellcheck disable=SC2086 # a list of words
	build linked dso.c -pg -rdynamic -DLINKED lib1.so lib2.so lib3.so \
		-Wl,-rpath,"\$ORIGIN" $flags || return 1
	# shellcheck disable=SC2086 # a list of words
	build dso dso.c -pg -rdynamic $flags || return 1
	# shellcheck disable=SC2086 # a list of words
	build own dso_own.c -rdynamic $flags || return 1
	# shellcheck disable=SC2086 # a list of words
	build memory dso_memory.c -pg -rdynamic || return 1
	# shellcheck disable=SC2086 # a list of words
	build bare dso.c -rdynamic -DLINKED -Wl,-rpath,"\$ORIGIN" $flags \
		lib1.so lib2.so lib3.so || return 1
	# shellcheck disable=SC2086 # a list of words
	build plain dso.c -rdynamic $flags
}

# run PROGRAM MODE ARG...
run() {
	rm -rf gmon.* prefix.*
	run_program=$1
	shift
	PROFIL_DSO=${dso-1} "./$run_program" "$@" >counted 2>errors && return
	cat counted errors
	return 1
}

# Which object a file is of.
object_of() {
	for dir in "${where-.}" . hidden; do
		if [ -e "$dir/$1" ]; then
			echo "$dir/$1"
			return
		fi
	done
}

# files FILE...: "object function calls" of every file that has any.
files() {
	for file; do
		label=${file##*/}
		label=${label#gmon.}
		label=${label%%.out*}
		name=$(object_of "$label")
		# A library of the system's, without counted calls.
		[ -n "$name" ] || continue
		gprof_calls "$name" "$file" | sed "s/^/$label /"
	done | LC_ALL=C sort
}

agree() {
	grep -v ^program "$1" | LC_ALL=C sort >counted.sorted
	[ -s counted.sorted ] || return 1
	shift
	files "$@" >gprof.sorted
	diff counted.sorted gprof.sorted
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

forked() {
	run dso fork || return 1
	agree counted gmon.*.out && agree counted gmon.last/gmon.*.out ||
		return 1
	rm -r "$(readlink gmon.last)" gmon.last
	agree child gmon.dso.*/gmon.*.out
}

prefixed() {
	dso=0 GMON_OUT_PREFIX=$work/prefix run dso late || return 1
	ls gmon.* 2>/dev/null && return 1
	[ -s "$(echo prefix.[0-9]*)" ] || return 1
	gprof_calls p4.so "$(echo prefix.p4.so.[0-9]*)" >prefix.calls
	grep '^work_4 1$' prefix.calls
}

same_name() {
	cp b/p4.so a/p4.so.2
	run dso same || return 1
	gprof_calls a/p4.so gmon.p4.so.out >first
	gprof_calls b/p4.so gmon.p4.so.2.out >second
	gprof_calls a/p4.so.2 gmon.p4.so.2.2.out >third
	cat first second third
	grep '^work_4 1$' first && grep '^work_5 1$' second &&
		grep '^work_5 1$' third
}

replaced() {
	cp p4.so first.so
	cp p5.so second.so
	run dso replace || return 1
	mv second.so p5.so
	gprof_calls first.so gmon.p4.so.out >first
	gprof_calls p5.so gmon.p4.so.2.out >second
	cp first.so p4.so
	cat first second
	grep '^work_4 1$' first && ! grep _5 first &&
		grep '^work_5 1$' second && ! grep _4 second
}

# The libraries of the system have neither, where nothing samples them.
no_empty() {
	PROFIL_BACKEND=libc run linked linked 10 || return 1
	! ls gmon.libc.so.6.out gmon.ld-*.out gmon.last/gmon.libc.so.6.out
}

secure() {
	# shellcheck disable=SC2086 # a list of words
	build setid spin.c -pg $flags || return 1
	chgrp nogroup setid && chmod g+s setid || return 1
	run setid 1 && cat counted && ! ls gmon.*
}

# seconds OBJECT FUNCTION: in it, by the object's file.
seconds() {
	gprof -b -p "$1" "gmon.$1.out" | awk -v name="$2" \
		'$NF == name { s = $3 } END { print s + 0 }'
}

one_two_three() {
	run linked linked 0 || return 1
	echo "$(seconds lib1.so leaf_1)" "$(seconds lib2.so leaf_2)" \
		"$(seconds lib3.so leaf_3)" | tee shares
	awk '{ all = $1 + $2 + $3
	       for (i = 1; i <= 3; i++) {
			off = all ? 100 * $i / all - 100 * i / 6 : 100
			bad = bad || off > 5 || off < -5
	       } } END { exit bad }' shares
}

# All but the last of the work was done by what had gone again.
gone_again() (
	cd heavy
	run ../dso swap 50 || return 1
	echo "$(seconds p4.so leaf_4)" "$(seconds p5.so leaf_5)" | tee shares
	awk '{ share = 100 * $1 / ($1 + $2 + 0.001)
	       exit !(share > 40 && share < 60) }' shares
)

# as_nobody COMMAND ARG...: as a user without access to the build directory.
as_nobody() {
	[ -e libprofil.so.1 ] || cp "$preload" .
	chmod 777 .
	setpriv --reuid=65534 --clear-groups env LD_LIBRARY_PATH="$work" "$@"
}

# As a user with a small RLIMIT_MEMLOCK: coarser bins, but some.
little_memory() {
	rm -f gmon.*
	PROFIL_DSO=1 as_nobody prlimit --memlock=300000 ./linked linked 500 \
		>counted 2>errors || { cat errors && return 1; }
	cat errors
	grep -c RLIMIT_MEMLOCK errors | grep '^1$' || return 1
	agree counted gmon.*.out || return 1
	seconds lib3.so leaf_3 | awk '{ exit !($1 > 0.1) }'
}

# Not on arm64, and not for 32-bit objects.
fentry=-mfentry
echo 'void f(void) { }' | $CC -pg $fentry -fPIC -x c -c -o /dev/null - \
	2>/dev/null || fentry=
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

# under_dso COMMAND ARG...: any command, after its old files are removed.
under_dso() {
	rm -rf gmon.*
	PROFIL_DSO=1 LD_PRELOAD=$preload "$@" >counted 2>errors || return 1
	cat errors
}

# The programs around the one that was built with -pg end after it.
wrapped() {
	printf '#!/bin/bash\n./dso loop 1\nexit 0\n' >wrapper
	printf 'all:\n\t@./dso loop 1\n' >Makefile
	chmod +x wrapper
	for around in ./wrapper "timeout 300 ./dso loop 1" "make -s" \
			"env ./dso loop 1" "nice ./dso loop 1"; do
		# shellcheck disable=SC2086 # a list of words
		under_dso $around && grep -v ^make counted >only &&
			agree only gmon.*.out || return 1
	done
}

# A child of the program executes another, which ends later, as it does.
two_programs() {
	rm -rf gmon.*
	run dso loop 1 && cp counted first && first=$(readlink gmon.last) ||
		return 1
	PROFIL_DSO=1 ./linked linked 3 >second 2>errors || return 1
	agree first "$first"/gmon.*.out && agree second gmon.*.out &&
		agree second gmon.linked.*/gmon.*.out &&
		[ ! -e gmon.p4.so.out ]
}

second_run() {
	run dso swap 10 && cp counted first && first=$(readlink gmon.last) ||
		return 1
	PROFIL_DSO=1 ./dso loop 1 >second 2>errors || return 1
	agree first "$first"/gmon.*.out && agree second gmon.*.out &&
		[ ! -e gmon.p5.so.out ]
}

# Another run had that pid, and that of a prefix.
same_pid() {
	rm -rf gmon.* prefix.*
	PROFIL_DSO=1 sh -c 'echo $$ >pid; mkdir gmon.dso.$$
		exec ./dso loop 1' >counted 2>errors || return 1
	pid=$(cat pid)
	[ -z "$(ls "gmon.dso.$pid")" ] || return 1
	agree counted "gmon.dso.$pid.2"/gmon.*.out || return 1
	PROFIL_DSO=1 GMON_OUT_PREFIX=prefix sh -c 'echo $$ >pid
		echo other >prefix.$$; exec ./dso loop 1' >counted 2>errors ||
		return 1
	pid=$(cat pid)
	cat "prefix.$pid" && [ "$(cat "prefix.$pid")" = other ] &&
		[ -s "prefix.$pid.2" ] && [ -s "prefix.p4.so.$pid.2" ]
}

said_where() {
	run dso late || return 1
	cat errors
	grep -c "profile of dso is in $work/gmon.dso.[0-9]*$" errors |
		grep '^1$'
}

# The C library writes over gmon.out, and over nothing else.
plain_after() {
	run dso late || return 1
	cp gmon.last/gmon.out before && build plain_pg fork.c -pg || return 1
	./plain_pg; cmp gmon.last/gmon.out before && [ ! -L gmon.out ] &&
		! cmp -s gmon.out before
}

at_once() {
	rm -rf gmon.*
	for nr in 1 2 3 4 5 6 7 8; do
		PROFIL_DSO=1 ./dso race $nr >"counted.$nr" 2>&1 &
	done
	wait
	set -- gmon.dso.*
	[ $# -eq 8 ] || return 1
	files gmon.*.out >names
	files gmon.last/gmon.*.out | diff names -
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

# own MODE: both the program's own counters and those of p4.so count.
own() {
	rm -rf gmon.* mon.out
	PROFIL_DSO=1 ./own "$1" >counted 2>errors
	own_status=$?
	cat counted errors
	[ $own_status -eq 0 ] || return 1
	gprof_calls p4.so gmon.own.*/gmon.p4.so.out | sed 's/^/p4.so /' >calls
	grep '^p4.so leaf_4' counted | grep -f - calls
}

own_and_objects() {
	own "$1" && cp gmon.own.*/gmon.p4.so.out . &&
		seconds p4.so leaf_4 | awk '{ print; exit !($1 > 0) }'
}

own_rest() {
	own rest && grep "own profile are in that alone" errors
}

own_monitor() {
	own_and_objects monitor && [ -s mon.out ]
}

own_thread() {
	own thread && grep "a thread has a profile of its own" errors
}

own_libc() {
	PROFIL_BACKEND=libc own open && grep "the C library has one" errors
}

# Enough to lose the race, where there is time for it.
often=3000
times=100
[ ! -e /dev/profil ] || { often=50 && times=10; }
flags="-L$PROFIL_LIB_DIR -lprofil -Wl,-rpath,$PROFIL_LIB_DIR"
check "objects and programs" objects
if [ "${1-}" = shares ]; then
	check "three libraries in the shares of their work" one_two_three
	check "samples of objects that have gone" gone_again
	check "little memory to pin" little_memory
	for mode in open before off two unmapped; do
		check "the program's own profile and the objects: $mode" \
			own_and_objects $mode
	done
	check "the program's own overflow region has what it would alone" \
		own_rest
	check "monitor() and the objects" own_monitor
	check "a thread's own profile is not the objects', which is said" \
		own_thread
	finish
fi
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
check "a child's calls, in files of its own" forked
check "GMON_OUT_PREFIX" prefixed
check "two objects of one name" same_name
check "an object whose file was replaced" replaced
check "an object that did nothing has no file" no_empty
check "the program's own profile in the C library goes on" own_libc
case $CC-$(uname -m) in
*-m32*) skip "100000 different calls" "they are made for 64 bits" ;;
*-x86_64) check "100000 different calls" many_calls ;;
*) skip "100000 different calls" "they are made for x86-64" ;;
esac
check "gmon.out is that of the -pg program, whatever runs it" wrapped
check "two -pg programs have a directory each" two_programs
check "a second run leaves no files of the first among its own" second_run
check "a pid that comes again replaces nothing" same_pid
check "where the profile is is said once" said_where
check "gmon.out of a plain -pg run replaces no profile of objects" plain_after
check "eight runs that end at once are not mixed" at_once
if [ "$(id -u)" -eq 0 ]; then
	check "mlockall() of an ordinary user with 8 MiB" locked
	check "a program with 30 MB of address space" mapped
fi
if_runs set-id "not in a set-id program" secure
finish
