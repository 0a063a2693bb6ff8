#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# OpenBSD's dialect: its header, its note, and what it says with no kernel.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

cat >use.c <<'END'
#define _OPENBSD_SOURCE 1
#include <profil.h>
int main(void)
{
	static char buf[4096];
	struct gmonhdr *header = (struct gmonhdr *)buf;

	header->totarc = 0;
	return profil(buf, sizeof(buf), 1024, 0ul, 0x10000u, -1);
}
END

# compiles COMPILER FLAG...
compiles() {
	"$@" -Wall -Wextra -Werror -pedantic-errors -fsyntax-only \
		-I"$tree/lib/include" use.c
}

has_note() {
	$CC -I"$tree/lib/include" "$@" -c -o use.o use.c || return 1
	readelf -n use.o >notes
	cat notes
	grep -q profil notes
}

no_note() {
	! has_note -DPROFIL_NO_NOTE
}

# What gprof takes for the header of the format 4.4bsd.
header_size() {
	cat >size.c <<'END'
#define _OPENBSD_SOURCE 1
#include <profil.h>
typedef char right[sizeof(struct gmonhdr) ==
		   2 * sizeof(long) + 6 * 4 ? 1 : -1];
END
	$CC -I"$tree/lib/include" -c -o size.o size.c
}

served_by_libc() {
	[ "$(PROFIL_BACKEND=libc ./openbsd 1)" = \
		"Operation not supported Operation not supported" ]
}

flags="-L$PROFIL_LIB_DIR -lprofil -Wl,-rpath,$PROFIL_LIB_DIR"
check "the header as C89" compiles "$CC" -std=c89
check "the header as C++98" compiles g++ -x c++ -std=c++98
check "the header as C++17" compiles g++ -x c++ -std=c++17
check "an object with the header carries the note" has_note
check "one with PROFIL_NO_NOTE does not" no_note
check "struct gmonhdr is the file's" header_size
# shellcheck disable=SC2086 # a list of words
build openbsd openbsd.c $flags
check "the C library can't: EOPNOTSUPP" served_by_libc
finish
