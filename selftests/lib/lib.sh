# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the tests of the library share: KTAP output, a scratch directory, and
# the making and running of -pg programs.  Sourced after PROFIL_LIB_DIR is set.

here=$(cd "$(dirname "$0")" && pwd)
tree=${here%/selftests/*}
# shellcheck source-path=SCRIPTDIR/..
. "$tree/selftests/vm/abilities"
progs=$tree/selftests/lib/prog
: "${PROFIL_LIB_DIR:?the directory that make -C lib O= built}"
preload=$PROFIL_LIB_DIR/libprofil.so.1
CC=${CC:-gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
unset GMON_OUT_PREFIX LD_PRELOAD MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL
# What a test counts are its own messages, not that of a device that is missing.
if [ ! -e /dev/profil ]; then
	PROFIL_BACKEND=${PROFIL_BACKEND-libc}
	export PROFIL_BACKEND
fi
# No test depends on where cores go here, or on a stack without an end.
# shellcheck disable=SC3045 # dash and bash have both
{
	ulimit -c 0
	ulimit -S -s 8192 2>/dev/null || :
}

# A line is as good as the plan that is printed at the end.
test_nr=0
test_bad=0
echo "KTAP version 1"

# Why what follows can't run here.  It is compiled nevertheless, for the guest,
# and nothing but the compiler is judged.
unable=${PROFIL_UNABLE-}

# needs_to_run KIND: what follows does.  lib/guest/host.sh reads what is noted.
needs_to_run() {
	unable=
	if ! runs "$1"; then
		unable=$why
		echo "$here/${0##*/}" >>"$PROFIL_LIB_DIR.unable"
	fi
}

pass() {
	if [ -n "$unable" ]; then
		skip "$1" "$unable"
		return
	fi
	test_nr=$((test_nr + 1))
	echo "ok $test_nr $1"
}

fail() {
	if [ -n "$unable" ] && [ ! -e "$work/uncompiled" ]; then
		skip "$1" "$unable"
		return
	fi
	rm -f "$work/uncompiled"
	test_nr=$((test_nr + 1))
	test_bad=$((test_bad + 1))
	echo "not ok $test_nr $1"
}

skip() {
	test_nr=$((test_nr + 1))
	echo "ok $test_nr $1 # SKIP $2"
}

# check NAME COMMAND ARG...: the command's output is shown if it fails.
check() {
	check_name=$1
	shift
	if "$@" >"$work/check.log" 2>&1; then
		pass "$check_name"
	else
		if [ -z "$unable" ] || [ -e "$work/uncompiled" ]; then
			# The last line may lack its newline.
			sed "s/^/# /; \$a\\" "$work/check.log"
		fi
		fail "$check_name"
	fi
}

# if_runs KIND NAME COMMAND ARG...: one check that needs such programs.
if_runs() {
	if runs "$1"; then
		shift
		check "$@"
	else
		skip "$2" "$why"
	fi
}

finish() {
	echo "1..$test_nr"
	[ "$test_bad" -eq 0 ]
	exit
}

# relay PREFIX PROGRAM ARG...: each test point of the program is one here.
relay() {
	relay_prefix=$1
	shift
	if [ -n "$unable" ]; then
		skip "$relay_prefix$*" "$unable"
		return
	fi
	planned=
	relayed=0
	"$@" >relay.out 2>&1 || echo "# $* ended with status $?" >>relay.out
	while read -r line; do
		case $line in
		"ok "* | "not ok "*) relayed=$((relayed + 1)) ;;
		esac
		case $line in
		"ok "*) pass "$relay_prefix${line#ok [0-9]* }" ;;
		"not ok "*) fail "$relay_prefix${line#not ok [0-9]* }" ;;
		"1.."*) planned=${line#1..} ;;
		"#"*) echo "$line" ;;
		KTAP*) ;;
		*) echo "# $line" ;;
		esac
	done <relay.out
	[ "$planned" = "$relayed" ] || fail "$1 went to its end"
}

# cached FILE COMMAND ARG...: runs what makes the file, or takes what the same
# made before: a guest, which is slow, finds what was made on the host.
cached() {
	cached_file=$1
	shift
	cached_key=$({ echo "$@" && cat "$progs"/* "$tree"/lib/include/*.h \
		"$tree"/lib/include/*/* "$PROFIL_LIB_DIR/libprofil.a"; } |
		sha256sum | cut -c1-16)
	cached_as=$PROFIL_LIB_DIR.made/$cached_key
	if [ -e "$cached_as" ]; then
		cp "$cached_as" "$cached_file"
		return
	fi
	"$@" || { : >"$work/uncompiled"; return 1; }
	mkdir -p "$PROFIL_LIB_DIR.made" &&
		cp "$cached_file" "$cached_as.$$" &&
		mv "$cached_as.$$" "$cached_as"
}

# build NAME SOURCE FLAG...: a program in the scratch directory.
build() {
	build_name=$1
	build_source=$2
	shift 2
	# shellcheck disable=SC2086 # a compiler and its flags
	cached "$build_name" $CC -O1 -g -Wall -Wextra -Werror -fno-inline -pthread \
		-I"$tree/lib/include" -I"$tree/uapi" -o "$build_name" \
		"$progs/$build_source" "$@"
}

# under COMMAND ARG...: run with the library preloaded.
under() {
	LD_PRELOAD=$preload "$@"
}

# gprof_calls PROGRAM FILE: "name calls" of every function that was called.
gprof_calls() {
	gprof -b -p "$1" "$2" >gprof.out || return 1
	awk 'NF == 7 && $1 ~ /^[0-9.]+$/ { print $7, $4 }' gprof.out |
		LC_ALL=C sort
}

# calls_equal PROGRAM GMON COUNTED: the program's own counts against gprof's.
calls_equal() {
	LC_ALL=C sort "$3" >counted.sorted
	[ -s counted.sorted ]
	gprof_calls "$1" "$2" >gprof.sorted
	diff counted.sorted gprof.sorted
}
