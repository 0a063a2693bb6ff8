#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# errno is the program's: what starts, stops or writes a profile leaves it as it
# was, but for a failure that the call reports by it.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

flags="-L$PROFIL_LIB_DIR -lprofil -Wl,-rpath,$PROFIL_LIB_DIR"

at_end() {
	AT_END=1 ./static end
}

# shellcheck disable=SC2086 # a list of words
build linked errno_kept.c $flags
# shellcheck disable=SC2086
build pg errno_kept.c -pg $flags
build static errno_kept.c "$PROFIL_LIB_DIR/libprofil.a"
echo "int here;" | $CC -xc - -shared -fPIC -o object.so
relay "calls: " ./linked
relay "calls of a -pg program: " ./pg
relay "a static library's calls: " ./static
relay "signals: " ./linked signals
relay "shared objects: " env PROFIL_DSO=1 ./linked "$work/object.so"
relay "shared objects of a -pg program: " env PROFIL_DSO=1 ./pg \
	"$work/object.so"
check "the file that is written at the end leaves errno alone" at_end
finish
