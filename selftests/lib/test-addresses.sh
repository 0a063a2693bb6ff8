#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the header takes for an address of monitor, in every language and mode.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# orders SUFFIX COMPILER FLAG...: in any order with the C library's own.
orders() {
	orders_suffix=$1
	shift
	for first in '' '#include <sys/gmon.h>'; do
		for last in '' '#include <sys/gmon.h>'; do
			printf '%s\n' "$first" '#include <profil.h>' "$last" |
				cat - "$progs/addresses.c" \
				>"addresses.$orders_suffix"
			"$@" -Wall -Wextra -Werror -pedantic-errors \
				-fsyntax-only -I"$tree/lib/include" \
				"addresses.$orders_suffix" || return 1
		done
	done
}

for std in c89 c99 c11 gnu17 c2x; do
	check "addresses as $std" orders c gcc -std=$std
	check "addresses as $std by clang" orders c \
		"$(command -v clang || echo gcc)" -std=$std
done
for std in c++98 c++11 c++17; do
	check "addresses as $std" orders cc g++ -std=$std
done
if echo 'int main(void) { return 0; }' |
	gcc -m32 -x c -o m32 - 2>/dev/null; then
	check "addresses as c89 with -m32" orders c gcc -std=c89 -m32 \
		-idirafter "/usr/include/$(gcc -dumpmachine | sed 's/-.*//')-linux-gnu"
else
	skip "addresses as c89 with -m32" "no 32-bit compiler"
fi
finish
