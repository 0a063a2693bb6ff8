#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The dialects: their pages' examples and their columns of the table, as far as
# the C library serves; and the regions that they hand to the kernel.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/dialects.sh"

# alone NAME DIALECT: a test, the dialect, and a kernel that keeps regions.
alone() {
	build "$1" "$1.c" -fsanitize=undefined -fno-sanitize-recover=all \
		-I"$tree/lib" -I"$tree/module" "$progs/regions.c" \
		"$tree/lib/dialect/$2.c" "$tree/lib/dialect/dialect.c" \
		"$tree/lib/fail.c"
}

# The compilers of C++ warn of other things.
cplusplus() {
	for dialect in $dialects; do
		g++ -x c++ -std=c++17 -O1 -Wall -Wextra -Werror -pedantic \
			-fsyntax-only -I"$tree/lib/include" -I"$tree/uapi" \
			"${dialect#*:}" "$progs/page_${dialect%:*}.c" || return 1
	done
}

check "each dialect's programs compile" build_dialects
check "the pages' programs as C++17" cplusplus
PROFIL_BACKEND=libc
export PROFIL_BACKEND
run_dialects
check "OSF/1's ranges on their own" alone osf1_ranges osf1
relay "osf1: " ./osf1_ranges
check "HP-UX's tables on their own" alone hpux_tables hpux
relay "hpux: " ./hpux_tables
finish
