#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The library and its tests once more, for 32-bit programs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# Where gcc-multilib's link to them is missing, the headers are still there.
CC="gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"
if ! echo 'int main(void) { return 0; }' | $CC -x c -o m32 - 2>/dev/null; then
	skip "32-bit programs" "no 32-bit compiler"
	finish
fi
check "the library builds with -m32" make -s -C "$tree/lib" O="$work/lib32" \
	CC="$CC"
export CC PROFIL_LIB_DIR="$work/lib32"
relay "-m32: " "$here/run" "$here/test-backend.sh" "$here/test-calls.sh" \
	"$here/test-dialects.sh" "$here/test-dso.sh" "$here/test-fork.sh" \
	"$here/test-gmon.sh" "$here/test-monitor.sh"
finish
