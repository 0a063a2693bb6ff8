# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # sourced after lib.sh
# The command profil, and profiles with known contents, for its tests.

tools=${PROFIL_TOOLS_DIR:-$PROFIL_LIB_DIR.tools}
make -s -C "$tree/tools/profil" O="$tools" CC=gcc WERROR=1 all >&2
# shellcheck disable=SC2034 # for the tests
profil=$tools/profil
# What a shell of the user sets must not change what is compared.
unset COLUMNS NO_COLOR DEBUGINFOD_URLS
TZ=UTC
export TZ

# with_model NAME SOURCE FLAG...: a test program that has profil's files.
with_model() {
	model_name=$1
	model_source=$2
	shift 2
	model_files=
	for file in books hash model path pprof_file pprof_read \
			pprof_samples pprof_write proto text util; do
		model_files="$model_files $tree/tools/profil/$file.c"
	done
	# shellcheck disable=SC2086 # names of files
	gcc -D_GNU_SOURCE -std=gnu11 -O1 -g -Wall -Wextra -Werror \
		-I"$tree/tools/profil" -o "$model_name" \
		"$here/prog/$model_source" $model_files "$@" -lz
}
with_model fixture fixture.c

# fixture_of FILE: the lines of standard input, "|" for a tab.
fixture_of() {
	tr '|' '\t' | ./fixture "$1" >/dev/null
}

# A small profile with one of everything.
small() {
	fixture_of "${1:-profil.pb.gz}" <<-'END'
	command|./prog --fast in.txt
	rate|1000
	time|1700000000
	book|seen|1010
	book|counted|1000
	book|unplaced|7
	book|refused|0
	book|lost|3
	book|left|1
	book|wall_ns|60000000000
	book|cpu_ns|1010000000
	map|/opt/prog|aabb|0x401000|0x402000|0x1000
	map|/lib/libx.so.1|ccdd|0x7f0000001000|0x7f0000009000|0x2000
	sample|600|1:0x401010:alpha|program=prog|pid=10|thread=prog|tid=10|kind=user
	sample|100|1:0x401020:alpha|program=prog|pid=11|thread=work|tid=12|kind=user
	sample|200|2:0x7f0000001234:read|program=prog|pid=10|thread=prog|tid=10|kind=system call|syscall=read
	sample|60|2:0x7f0000001300|program=prog|pid=10|thread=prog|tid=10|kind=user
	sample|40|1:0x401030:beta@beta.c@7^alpha@alpha.c@70|program=prog|pid=10|thread=prog|tid=10|kind=fault
	END
}

# A small profile with call paths: recursion, inlining, paths that are not whole.
paths() {
	fixture_of "${1:-profil.pb.gz}" <<-'END'
	command|./prog --paths
	rate|1000
	time|1700000000
	map|/opt/prog|aabb|0x1000|0x2000|0x1000
	map|/lib/libx.so.1|ccdd|0x9000|0xa000|0x2000
	sample|40|1:0x1010:alpha;1:0x1110:beta;1:0x1210:main|program=prog|pid=10|kind=user|path=whole
	sample|20|1:0x1310:inner@x.h@3^gamma@x.c@9;1:0x1220:main|program=prog|pid=10|kind=user|path=whole
	sample|10|1:0x1110:beta;1:0x1120:beta;1:0x1210:main|program=prog|pid=10|kind=user|path=whole
	sample|10|2:0x9010:read;1:0x1020:alpha;1:0x1130:beta;1:0x1030:alpha;1:0x1210:main|program=prog|pid=10|kind=system call|syscall=read|path=whole
	sample|15|1:0x1010:alpha;1:0x1110:beta|program=prog|pid=11|kind=user|path=no tables
	sample|5|1:0x1010:alpha|program=prog|pid=11|kind=user|path=cut
	END
}

# on_terminal COLUMNS COMMAND: what it prints on a terminal of that width.
on_terminal() {
	COLUMNS=$1 python3 - "$2" <<-'END' >screen
	import os, pty, sys
	def read(fd):
	    return os.read(fd, 65536)
	pty.spawn(["sh", "-c", sys.argv[1]], read, lambda fd: b"")
	END
	tr -d '\r' <screen >lines
	sed 's/\x1b\[[0-9;]*m//g' lines
}

# status WANTED COMMAND ARG...: the exit status, and no crash.
status() {
	status_wanted=$1
	shift
	status_is=0
	"$@" >got 2>errors || status_is=$?
	cat got errors
	[ "$status_is" -eq "$status_wanted" ]
}

# says WANTED PATTERN COMMAND ARG...: one line on standard error has it.
says() {
	says_status=$1
	says_what=$2
	shift 2
	status "$says_status" "$@" && [ ! -s got ] &&
		[ "$(wc -l <errors)" -eq 1 ] && grep -qe "$says_what" errors
}

# hot_profile FLAG...: hot, built so, and a profile of it by its symbols.
hot_profile() {
	gcc -g -O1 "$@" -Wl,--build-id=sha1 -o hot "$here/prog/hot.c" || return 1
	id=$(readelf -n hot | sed -n 's/ *Build ID: //p')
	outer=$(nm hot | awk '$3 == "outer" { print "0x" $1 }')
	# A pc of inner().  binutils read no split DWARF: the same code with plain.
	gcc -g -O1 -Wl,--build-id=sha1 -o judge "$here/prog/hot.c" || return 1
	pc=
	for at in $(seq "$((outer))" "$((outer + 60))"); do
		if addr2line -fi -e judge "$(printf '%#x' "$at")" >chain &&
				head -n 1 chain | grep -qx inner; then
			pc=$(printf '%#x' "$at")
			break
		fi
	done
	[ -n "$pc" ] || return 1
	cold=$(nm hot | awk '$3 == "cold" { print "0x" $1 }')
	printf 'rate|1000\nmap|%s|%s|0|0x100000|0\nsample|90|1:%s:outer\nsample|10|1:%s:cold\n' \
		"$work/hot" "$id" "$pc" "$cold" | fixture_of hot.pb.gz
}

# calls_of FUNCTION ARG...: $calls is how often profil called it of libdw.
calls_of() {
	calls_function=$1
	shift
	gcc -shared -fPIC -Wall -Wextra -Werror -D_GNU_SOURCE -o calls.so \
		"$here/prog/calls.c" || return 1
	LD_PRELOAD=$work/calls.so "$profil" "$@" >got 2>errors || {
		cat errors
		return 1
	}
	# shellcheck disable=SC2034 # for the tests
	calls=$(sed -n "s/^$calls_function //p" errors)
	cat errors
}
