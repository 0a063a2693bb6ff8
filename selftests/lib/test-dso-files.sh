#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Shared objects: each has its own file, and a run's files neither mix with those of
# another nor replace them.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/dso.sh"

objects() {
	common_objects && mkdir -p a b &&
		object a/p4.so 4 1 && object b/p4.so 5 1
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

# What it wrote itself is not written once more.
own_written() {
	rm -rf gmon.*
	PROFIL_DSO=1 ./own written >counted 2>errors || return 1
	cat errors
	! ls -d gmon.*
}

secure() {
	# shellcheck disable=SC2086 # a list of words
	build setid spin.c -pg $flags || return 1
	chgrp nogroup setid && chmod g+s setid || return 1
	run setid 1 && cat counted && ! ls gmon.*
}

check "objects and programs" objects
check "a child's calls, in files of its own" forked
check "GMON_OUT_PREFIX" prefixed
check "two objects of one name" same_name
check "an object whose file was replaced" replaced
check "an object that did nothing has no file" no_empty
check "gmon.out is that of the -pg program, whatever runs it" wrapped
check "two -pg programs have a directory each" two_programs
check "a second run leaves no files of the first among its own" second_run
check "a pid that comes again replaces nothing" same_pid
check "where the profile is is said once" said_where
check "gmon.out of a plain -pg run replaces no profile of objects" plain_after
check "eight runs that end at once are not mixed" at_once
check "dso_paused_at_exit_writes_files" own paused
check "dso_written_by_program_not_again_at_exit" own_written
check "dso_resumed_after_write_writes_at_exit" own resumed
if_runs set-id "not in a set-id program" secure
finish
