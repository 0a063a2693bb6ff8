# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables are lib.sh's
# The library for 32-bit programs, built beside the other.  Sourced after lib.sh;
# the tests that are run then are those of 32-bit programs.

# Where gcc-multilib's link to them is missing, the headers are still there.
CC="gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"
if ! echo 'int main(void) { return 0; }' | $CC -x c -o m32 - 2>/dev/null; then
	skip "32-bit programs" "no 32-bit compiler"
	finish
fi
PROFIL_LIB_DIR=$PROFIL_LIB_DIR.32
check "the library builds with -m32" make -s -C "$tree/lib" \
	O="$PROFIL_LIB_DIR" CC="$CC"
if ! runs 32-bit; then
	PROFIL_UNABLE=$why
	export PROFIL_UNABLE
fi
export CC PROFIL_LIB_DIR
