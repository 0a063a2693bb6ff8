# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables are lib.sh's
# Shared objects and programs that call into them, and the comparison of the calls
# that a program counted with those in its files.  Sourced after lib.sh.

flags="-L$PROFIL_LIB_DIR -lprofil -Wl,-rpath,$PROFIL_LIB_DIR"

object() {
	object_name=$1 object_id=$2 object_part=$3
	shift 3
	build "$object_name" dso_object.c -pg -shared -fPIC \
		"-DID=$object_id" "-DPART=$object_part" "$@"
}

# What each of the tests needs; its own objects() makes the rest.
common_objects() {
	for id in 1 2 3; do
		object "lib$id.so" $id $id || return 1
	done
	object p4.so 4 1 && object p5.so 5 1 || return 1
	# shellcheck disable=SC2086 # a list of words
	build linked dso.c -pg -rdynamic -DLINKED lib1.so lib2.so lib3.so \
		-Wl,-rpath,"\$ORIGIN" $flags || return 1
	# shellcheck disable=SC2086 # a list of words
	build dso dso.c -pg -rdynamic $flags || return 1
	# shellcheck disable=SC2086 # a list of words
	build own dso_own.c -rdynamic $flags
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

# as_nobody COMMAND ARG...: as a user without access to the build directory.
as_nobody() {
	[ -e libprofil.so.1 ] || cp "$preload" .
	chmod 777 .
	setpriv --reuid=65534 --clear-groups env LD_LIBRARY_PATH="$work" "$@"
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
