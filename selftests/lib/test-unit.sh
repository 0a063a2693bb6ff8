#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The library's insides under ASan and UBSan, and gprof on what they write.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

sanitized() {
	# shellcheck disable=SC2086 # a compiler and its flags
	cached unit $CC -O1 -g -std=gnu11 -Wall -Wextra -Werror -pthread \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		-I"$tree/lib" -I"$tree/lib/include" -I"$tree/uapi" -o unit \
		"$progs"/unit*.c "$tree"/lib/*.c "$tree"/lib/*/*.c \
		"$tree/lib/pg/mcount.S"
}

address() {
	nm big | awk -v name="$1" '$3 == name { print "0x" $1 }'
}

# 4000 s of 100 Hz in two functions, and 2^32 + 5 calls.
summed() {
	rm -rf gmon.out
	$steady ./unit "$(address __executable_start)" "$(address etext)" \
		"$(address leaf)" "$(address middle)" || return 1
	gprof -b -p big gmon.out >flat || return 1
	cat flat
	grep -Eq '^ *75\.00 +3000\.00 +3000\.00 .* leaf$' flat || return 1
	grep -Eq '^ *25\.00 +4000\.00 +1000\.00 +4294967301 .* middle$' flat
}

needs_to_run ASan
check "the library compiles with the sanitizers" sanitized
# shellcheck disable=SC2086 # none, or words
relay '' $steady ./unit
build big calls.c -pg -no-pie
check "gprof adds up counts beyond 16 and calls beyond 32 bits" summed
finish
