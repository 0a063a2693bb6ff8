# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables are lib.sh's and tool.sh's
# A program of known functions, profiles of it with known contents, and what prof
# says of them.  Sourced after tool.sh; the program is then there as "fixed".

fixed() {
	fixed_name=$1
	shift
	gcc -nostdlib -Wl,-e,alpha -Wl,--build-id=none -o "$fixed_name" \
		"$progs/fixed.S" "$@"
}

make_prof() {
	perl "$progs/mkprof.pl" "$@"
}

# samples ARG...: name and samples of each line, at 1 sample a second.
samples() {
	"$prof" "$@" >got || return 1
	awk 'NR > 3 { printf "%s %.2f\n", $NF, $3 }' got
}

# says PATTERN ARG...: no report, one line that has the pattern, status 1.
says() {
	says_what=$1
	shift
	says_status=0
	timeout 20 "$prof" "$@" >got 2>errors || says_status=$?
	cat errors
	[ "$says_status" -eq 1 ] && [ ! -s got ] &&
		[ "$(wc -l <errors)" -eq 1 ] && grep -q "$says_what" errors
}

# Whether the compiler makes 32-bit programs.
builds_m32() {
	echo 'int main(void) { return 0; }' |
		gcc -m32 -x c -o m32 - 2>/dev/null
}

fixed fixed -static -no-pie -Wl,-Ttext=0x401000
