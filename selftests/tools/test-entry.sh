#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Which system call a thread is in, by the instructions before its pc: objdump,
# which decodes all of the C library, is the judge.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

gcc -D_GNU_SOURCE -std=gnu11 -O1 -g -Wall -Wextra -Werror \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-I"$tree/tools/profil" -o entries "$here/prog/entries.c" \
	"$tree/tools/profil/entry.c" "$tree/tools/profil/entry_arm64.c" \
	"$tree/tools/profil/insn.c"
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

# For awk.
hex='function hex(text,  i, n) {
	n = 0
	for (i = 1; i <= length(text); i++)
		n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}
'

# What was put into eax last, in the order of the text; -1 if it is no constant.
judged() {
	objdump -d --no-show-raw-insn "$1" | awk -F'\t' "$hex"'
		$2 ~ /^mov +\$0x[0-9a-f]+,%[er]ax/ {
			split($2, part, /[x,]/)
			last = hex(part[2])
			next
		}
		$2 ~ /^mov +\$0x[0-9a-f]+,%e[a-z]+$/ {
			split($2, part, /[x,]/)
			reg = $2
			sub(/.*%/, "", reg)
			put[reg] = hex(part[2])
			next
		}
		$2 ~ /^mov +%e[a-z]+,%eax$/ {
			split($2, part, /[%,]/)
			last = part[2] in put ? put[part[2]] : -1
			next
		}
		$2 ~ /^(call|ret)/ { split("", put) }
		$2 ~ /,%[er][a-z]+( |$)/ {
			reg = $2
			sub(/.*,%[er]/, "e", reg)
			sub(/ .*/, "", reg)
			delete put[reg]
		}
		$2 ~ /^xor +%eax,%eax/ { last = 0; next }
		$2 ~ /^syscall/ {
			gsub(/[ :]/, "", $1)
			print $1, last
			last = -1
		}
		$2 ~ /,%([er]?ax|al)( |$)/ || $2 ~ /^(call|ret)/ ||
			$2 ~ /^(not|neg|set[a-z]+|pop) +%[er]?a[xl]/ { last = -1 }'
}

# What was put into x8 last, likewise.
judged_arm64() {
	"$objdump_arm64" -d --no-show-raw-insn -M no-aliases "$1" |
		awk -F'\t' "$hex"'
		$2 == "movz" && $3 ~ /^[wx]8, #0x[0-9a-f]+$/ {
			sub(/.*#0x/, "", $3)
			last = hex($3)
			next
		}
		$2 == "svc" {
			gsub(/[ :]/, "", $1)
			print $1, last
			last = -1
		}
		$3 ~ /^[wx]8,/ || $2 ~ /^ldp/ && $3 ~ /^[wx][0-9]*, [wx]8,/ ||
			$2 ~ /^(bl|blr|ret|b|br)$/ { last = -1 }'
}

objdump_arm64=aarch64-linux-gnu-objdump
libc_arm64=/usr/aarch64-linux-gnu/lib/libc.so.6

# text_of FILE: three numbers
text_of() {
	readelf -SW "$1" | sed 's/\[ */[/' |
		awk '$2 == ".text" { print $5, $6, $4 }'
}

# compared LEAST: of that many at least 9 in 10 are known, and all as judged.
compared() {
	awk -v least="$1" 'NR == FNR { wanted[$1] = $2; next }
	     !($1 in wanted) { next }
	     { all++ }
	     $2 >= 0 { known++ }
	     $2 >= 0 && $2 != wanted[$1] { print "at", $1, $2, "is", wanted[$1]
					   wrong++ }
	     END { print known, "of", all, "known,", wrong + 0, "wrong"
		   exit !(all > least && 10 * known > 9 * all && !wrong) }' \
		wanted found
}

agrees() {
	libc=$(ldd "$tools/profil" | awk '$1 ~ /^libc\.so/ { print $3 }')
	# shellcheck disable=SC2046 # three numbers
	./entries "$libc" $(text_of "$libc") >found || return 1
	judged "$libc" >wanted
	compared 300 || return 1
	# That of _exit(), which comes by way of another register and a jump.
	[ "$(uname -m)" != x86_64 ] || grep -q ' 231$' found
}

agrees_arm64() {
	# shellcheck disable=SC2046 # three numbers
	./entries "$libc_arm64" $(text_of "$libc_arm64") arm64 >found || return 1
	judged_arm64 "$libc_arm64" >wanted
	compared 300
}

# Some of arm64's headers give numbers by way of other names.
names_arm64() {
	cc_arm64="clang --target=aarch64-linux-gnu -isystem $include_arm64"
	make -s -C "$tree/tools/profil" O="$work/arm64" CC="$cc_arm64" \
		"$work/arm64/syscalls.o" || return 1
	{
		echo '#include <asm/unistd.h>'
		cat arm64/syscalls.inc
	} | $cc_arm64 -E -P -x c - >names
	wc -l names
	grep -Fqx '{ 222, "mmap" },' names && grep -Fqx '{ 63, "read" },' names &&
		grep -q '"newfstatat"' names &&
		! grep -qe '__NR' -e '"syscalls"' -e '"arch_specific' names
}

include_arm64=/usr/aarch64-linux-gnu/include
check "entry: numbers of system calls as objdump has them" agrees
if command -v "$objdump_arm64" >/dev/null && [ -e "$libc_arm64" ]; then
	check "entry: numbers of arm64 as objdump has them" agrees_arm64
else
	skip "entry: numbers of arm64 as objdump has them" \
		"there is no binutils or libc of arm64"
fi
if command -v clang >/dev/null && [ -e $include_arm64/asm/unistd.h ]; then
	check "entry: names of arm64's system calls" names_arm64
else
	skip "entry: names of arm64's system calls" "there are no headers of arm64"
fi
finish
