# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # sourced after vm/lib.sh and data/sets
# The parts that selftests/check and selftests/run share: which tests there are,
# in which boot each runs, and the frame that ktap.awk reads.  Needs $here and $O.

programs=${CHECK_PROGRAMS:-$O/selftests}
# With anything in it, tests are listed and do not run.
listing=

# One program, or one step that is a test point itself.
suite() {
	if [ -n "$listing" ]; then
		echo "here: $1"
		return
	fi
	echo "# begin $1"
	shift
	status=0
	"$@" 2>&1 || status=$?
	printf '\n# end %s\n' "$status"
}

# Lists what is built by name alone, so that nothing has to be built.
list_only() {
	listing=$1
	programs=$listing
	make -s -C "$here" list | (cd "$listing" && xargs touch)
}

# A program of host/; if this machine can't run it, lib-host does in a guest.
host_test() {
	if [ -n "$listing" ] || runs ASan; then
		# shellcheck disable=SC2086 # empty, or words
		suite "host $1" $steady "$O/selftests/host/$1"
	else
		echo "$O/selftests/host/$1" >>"$O/lib.unable"
		suite "host $1" echo "1..0 # SKIP $why"
	fi
}

# The names of the lines of data/scripts.
scripts() {
	sed -n '/^#/d; s/[[:blank:]].*//p' "$here/data/scripts"
}

# The names in the table of boots after --, of every line.
elsewhere() {
	sed -n '/^#/d; s/.* -- //p' "$here/data/boots" |
		tr -s '[:blank:]' '\n' | grep -vx kernel
}

# An empty list has everything.
is_in() {
	[ -z "$1" ] || case " $1 " in
	*" $2 "*) ;;
	*) return 1 ;;
	esac
}

wanted() {
	is_in "${TESTS-}" "$1"
}

# What a boot is to run of the tests named: both builds of a program.  A guest
# of another architecture has programs of its own, and no scripts.
paths() {
	for name; do
		wanted "$name" || continue
		if [ -z "$(source_of "$name")" ]; then
			[ -n "${CHECK_PROGRAMS-}" ] || echo "$name"
			continue
		fi
		echo "$programs/$name"
		if [ -e "$programs/$name.32" ] && ! is_in "$once" "$name" &&
			is_in "${TESTS_32-}" "$name"; then
			echo "$programs/$name.32"
		fi
	done
}

# Those of the names that no boot has to itself.
common() {
	printf '%s\n' "$@" | grep -Fvx "$(elsewhere)"
}

# A boot: its name, the runner's options, --, tests.
boot() {
	label=$1
	shift
	args=
	while [ "$1" != -- ]; do
		args="$args '$1'"
		shift
	done
	shift
	# What differs with 32 bits differs on a common machine.
	# shellcheck disable=SC2046 # names of programs
	if [ "$*" = kernel ]; then
		set -- $(TESTS_32=none paths $(common $(programs)))
	else
		set -- $(paths "$@")
	fi
	[ $# -gt 0 ] || return 0
	if [ -n "$listing" ]; then
		for test; do
			echo "$label [$args]: ${test##*/}"
		done
		return
	fi
	echo "# boot $label"
	status=0
	# The table of boots may say another.
	eval "set -- --env TEST_TIMEOUT=${TEST_TIMEOUT:-900} $args -- \
		$here/vm/run-tests \"$label\" \"\$@\""
	"$here/vm/run" "$@" 2>&1 || status=$?
	printf '\n# halt %s\n' "$status"
}

boots_of_list() {
	while read -r label line <&3; do
		eval "boot $label ${CHECK_OPTIONS-} $line"
	done 3<<-END
	$1
	END
}

# The boots of the table that no option of grep's takes out.
table_of_boots() {
	boots_list=$(grep -v -e '^#' -e '^$' "$@" "$here/data/boots") || return 0
	boots_of_list "$boots_list"
}

# The boot of the table with this name.
boot_of_table() {
	boots_of_list "$(grep "^$1 " "$here/data/boots")"
}
