# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Asks, by trying, what kinds of programs run on the machine that a test runs on:
# its kernel may be any.  A guest's is known, and runs all of them.

# Before a sanitized program: gcc 12's sanitizers abort now and then where the
# kernel chooses addresses from a wider range than they know.
steady="setarch -R"
$steady true 2>/dev/null || steady=

# tries SOURCE FLAG...: a program of this source is built, and ends with status
# 0 when $start starts it.
tries() (
	source=$1
	shift
	dir=$(mktemp -d) || exit 1
	trap 'rm -rf "$dir"' EXIT
	echo "$source" >"$dir/try.c"
	# shellcheck disable=SC2086 # none, or words
	gcc -o "$dir/try" "$dir/try.c" "$@" 2>/dev/null &&
		${start-} "$dir/try" >/dev/null 2>&1
)

# A mount option or a container may make the bit mean nothing.
set_id() {
	chgrp nogroup "$1" && chmod g+s "$1" && "$1"
}

known_range() {
	[ -n "$steady" ] || [ "$(cat /proc/sys/vm/mmap_rnd_bits)" -le 28 ]
}

# runs 32-bit|ASan|TSan|valgrind|set-id: or else $why says that it does not.
runs() {
	# shellcheck disable=SC2034 # for the caller
	why="this machine runs no $1 programs"
	[ ! -e /run/vm/job ] || return 0
	nothing='int main(void) { return 0; }'
	case $1 in
	32-bit) tries "$nothing" -m32 ;;
	ASan) known_range &&
		start=$steady tries "$nothing" -fsanitize=address,undefined ;;
	TSan) known_range &&
		start=$steady tries "$nothing" -fsanitize=thread ;;
	valgrind) start="valgrind -q" tries "$nothing" ;;
	set-id) start=set_id tries '#include <sys/auxv.h>
		int main(void) { return !getauxval(AT_SECURE); }' ;;
	esac
}
