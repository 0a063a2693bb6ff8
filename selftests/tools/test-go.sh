#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The names of stripped Go programs, by Go's own table: of programs as Debian's
# compiler makes them, of tables as other releases write them, of damaged ones.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/names.sh"

# go_build NAME FLAG...
go_build() {
	go_name=$1
	shift
	GOCACHE=$work/cache GO111MODULE=off GOFLAGS='' CGO_ENABLED=${CGO-0} \
		go build -o "$go_name" "$@" "$progs/work.go"
}

# same_as WHOLE STRIPPED: each function of the one, by its symbol table, has its
# name in the other.
same_as() {
	nm -n "$1" | awk '$2 ~ /^[tT]$/ && $3 !~ /^(runtime\.e?text|_)/ &&
		$3 ~ /^[a-z]+\./ { print $1, $3 }' >wanted
	awk '{ print $1 }' wanted | xargs -n 1000 ./names "$2" >is || :
	awk '{ sub(/\.abi0$/, "", $2); print $2 }' wanted >should
	wc -l <should
	[ "$(wc -l <should)" -gt 1000 ] && ! readelf -S "$2" | grep -q ' \.symtab' &&
		compare should is
}

# Go's table has type arguments as "...".
compare() {
	paste "$1" "$2" | awk '$1 != $2 { print; bad++ }
		END { print bad + 0, "of", NR; exit 100 * bad > NR }'
}

as_compiled() {
	go_build full && go_build stripped -ldflags='-s -w' && same_as full stripped
}

by_strip() {
	strip -o stripped2 full && same_as full stripped2
}

# Its addresses are distances from where it is loaded.
position_independent() {
	go_build pie -buildmode=pie && strip -o pie-stripped pie &&
		same_as pie pie-stripped
}

# table_of VERSION: in a stripped C program, with names of Go's for its text.
table_of() {
	text=$(readelf -SW plain | sed -n 's/.* \.text *PROGBITS *\([0-9a-f]*\).*/\1/p')
	at=$((0x$text))
	python3 "$progs/gopclntab.py" "$1" "$text" \
		"main.first=$(printf %x $at)" "bad=$(printf %x $((at + 16)))" \
		"main.second=$(printf %x $((at + 32)))" \
		"$(printf %x $((at + 64)))" >table
	objcopy --add-section .gopclntab=table plain plain-go
}

release() {
	table_of "$1" || return 1
	./names plain-go "$(printf %x $at)" "$(printf %x $((at + 15)))" \
		"$(printf %x $((at + 63)))" >said
	cat said
	[ "$(tr '\n' ' ' <said)" = "main.first main.first main.second " ] &&
		! ./names plain-go "$(printf %x $((at + 20)))"
}

# Its table has another form, and is not read.
too_old() {
	table_of 1.2 || return 1
	./names plain-go "$(printf %x $at)" >said || :
	! grep main said
}

damaged() {
	table_of "$1" && ./fuzz_elf plain-go 3000
}

with_names names names.c
with_names fuzz_elf fuzz_elf.c -fsanitize=address,undefined \
	-fno-sanitize-recover=all
printf '__asm__(".globl _start\\n_start: .skip 128, 0x90");\n' >plain.c
gcc -nostdlib -static -fno-asynchronous-unwind-tables -o plain plain.c
strip plain
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

if command -v go >/dev/null; then
	check "go_stripped_by_its_linker_named_as_whole" as_compiled
	check "go_stripped_by_strip_named_as_whole" by_strip
	check "go_position_independent_named_as_whole" position_independent
else
	skip "go_stripped" "there is no go"
fi
for version in 1.16 1.18 1.20; do
	check "go_table_of_${version}_is_read" release $version
	check "go_table_of_${version}_damaged_3000_times" damaged $version
done
check "go_table_before_1.16_is_not_read" too_old
finish
