#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil annotate: the source and the instructions of what ran, and no other.
# shellcheck disable=SC2317,SC2154,SC2016 # passed by name; not for the shell
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

annotated() {
	hot_profile || return 1
	"$profil" annotate -i hot.pb.gz "$1" >got 2>errors || {
		cat errors
		return 1
	}
	cat got
	inner=$(sed -n '2s/.*hot.c:\([0-9]*\).*/\1/p' chain)
	grep -qx "outer in $work/hot: 90 samples, 90.0 % of all" got &&
		grep -Eqx " 100.0 % +$inner +sink \+= i \* i;" got &&
		grep -Eq "^ 100.0 % +${pc#0x}  mov" got &&
		grep -Eq '^ +[0-9]+  for|^ +[0-9]+ +for \(i = 0' got
}

ambiguous() {
	hot_profile || return 1
	printf 'rate|1\nmap|/bin/a|a|0|0x9000|0\nmap|/bin/b|b|0|0x9000|0\nsample|1|1:0x10:f\nsample|2|2:0x20:f(int)\n' |
		fixture_of two.pb.gz
	status 1 "$profil" annotate -i two.pb.gz f &&
		grep -qx '  1  b:f(int)  (2 samples)' errors &&
		grep -qx '  2  a:f  (1 sample)' errors &&
		says 2 '/bin/a can' "$profil" annotate -i two.pb.gz a:f &&
		says 2 '/bin/b can' "$profil" annotate -i two.pb.gz -n 1 f &&
		says 1 'the highest is 2' "$profil" annotate -i two.pb.gz -n 3 f &&
		says 2 '-n is a number, not f' \
			"$profil" annotate -i two.pb.gz -n f f
}

# Two static functions of one name in one object: both, each with its own.
statics() {
	gcc -g -O1 -DNUMBER=1 -DCALLER=first -c -o 1.o "$here/prog/twice.c" &&
		gcc -g -O1 -DNUMBER=2 -DCALLER=second -c -o 2.o \
			"$here/prog/twice.c" &&
		gcc -Wl,--build-id=sha1 -o twice 1.o 2.o || return 1
	id=$(readelf -n twice | sed -n 's/ *Build ID: //p')
	printf 'rate|1\nmap|%s|%s|0|0x9000|0\n' "$work/twice" "$id" >lines
	nm twice | awk '$3 == "same" {
		print "sample|" ++n "|1:0x" $1 ":same" }' >>lines
	fixture_of twice.pb.gz <lines
	"$profil" annotate -i twice.pb.gz twice:same >got || return 1
	cat got
	grep -qx "same in $work/twice: 1 sample, 33.3 % of all" got &&
		grep -qx "same in $work/twice: 2 samples, 66.7 % of all" got
}

unknown() {
	hot_profile || return 1
	says 1 'has no samples in a function nothing' \
		"$profil" annotate -i hot.pb.gz nothing &&
		says 1 "report --callers '[[]a b' and --callees" \
			"$profil" annotate -i hot.pb.gz '[a b'
}

replaced() {
	hot_profile || return 1
	gcc -g -O2 -DX -Wl,--build-id=sha1 -o hot "$here/prog/hot.c" || return 1
	says 2 'hot is not the file that ran: its build id is' \
		"$profil" annotate -i hot.pb.gz outer
}

# Without a build id the time says it.
rewritten() {
	gcc -O1 -Wl,--build-id=none -o noid "$here/prog/hot.c" || return 1
	outer=$(nm noid | awk '$3 == "outer" { print "0x" $1 }')
	for seconds in 1000000000 4000000000; do
		printf 'rate|1\ntime|%s\nmap|%s||0|0x9000|0\nsample|1|1:%s:outer\n' \
			"$seconds" "$work/noid" "$outer" |
			fixture_of "$seconds.pb.gz"
	done
	says 2 'was written after the profile' \
		"$profil" annotate -i 1000000000.pb.gz outer &&
		"$profil" annotate -i 4000000000.pb.gz outer | grep -q ' ret'
}

# A name can't be an option or a command of a shell.
quoted() {
	mkdir -p "./-d ;touch bad" && (cd "./-d ;touch bad" && gcc -g -O1 \
		-Wl,--build-id=sha1 -o '$(x)' "$here/prog/hot.c") || return 1
	object="$work/-d ;touch bad/\$(x)"
	id=$(readelf -n "$object" | sed -n 's/ *Build ID: //p')
	outer=$(nm "$object" | awk '$3 == "outer" { print "0x" $1 }')
	printf 'rate|1\nmap|%s|%s|0|0x9000|0\nsample|1|1:%s:outer\n' \
		"$object" "$id" "$outer" | fixture_of q.pb.gz
	"$profil" annotate -i q.pb.gz outer >got && grep -q ' ret' got &&
		[ ! -e bad ]
}

no_objdump() {
	hot_profile || return 1
	PATH=$work/empty "$profil" annotate -i hot.pb.gz outer >got 2>errors ||
		return 1
	cat got errors
	grep -q 'install binutils' errors && grep -qx "outer in.*" got
}

fifo_source() {
	mkfifo pipe.c
	cat >gen.c <<-'END'
	#line 1 "pipe.c"
	int main(void) { return 0; }
	END
	gcc -g -Wl,--build-id=sha1 -o gen gen.c || return 1
	id=$(readelf -n gen | sed -n 's/ *Build ID: //p')
	at=$(nm gen | awk '$3 == "main" { print "0x" $1 }')
	printf 'rate|1\nmap|%s|%s|0|0x9000|0\nsample|1|1:%s:main\n' \
		"$work/gen" "$id" "$at" | fixture_of g.pb.gz
	timeout 20 "$profil" annotate -i g.pb.gz main >got || return 1
	cat got
	grep -q "pipe.c (can't be read)" got
}

inlined() {
	said='^inner is inlined there, and these samples are those of all of outer$'
	annotated inner && grep -q "$said" got && annotated outer &&
		! grep 'is inlined' got
}

# As many calls for 40 samples, which no symbol has, as for one.
symbols_read() {
	hot_profile || return 1
	counted=
	for nr in 1 40; do
		{
			printf 'rate|1\nmap|%s|%s|0|0x9000|0\n' "$work/hot" "$id"
			seq "$nr" | sed 's/.*/sample|1|1:&:outer/'
		} | fixture_of head.pb.gz
		calls_of dwfl_module_getsym_info annotate -i head.pb.gz outer ||
			return 1
		[ "$calls" -gt 0 ] && [ "$calls" -eq "${counted:=$calls}" ] ||
			return 1
	done
}

# A million instructions, 300,000 of them with a sample.
many_samples() {
	[ "$(uname -m)" = x86_64 ] || return 0
	cat >long.s <<-'END'
		.globl long_one
		.type long_one, @function
		long_one: .fill 1000000, 1, 0x90
		.size long_one, . - long_one
	END
	gcc -Wl,--build-id=sha1 -o long "$here/prog/hot.c" long.s || return 1
	id=$(readelf -n long | sed -n 's/ *Build ID: //p')
	at=$(nm long | awk '$3 == "long_one" { print "0x" $1 }')
	{
		printf 'rate|1\nmap|%s|%s|0|0x200000|0\n' "$work/long" "$id"
		seq "$((at))" "$((at + 299999))" |
			sed 's/.*/sample|1|1:&:long_one/'
	} | fixture_of long.pb.gz
	timeout 60 "$profil" annotate -i long.pb.gz long_one >got || return 1
	[ "$(grep -c '^ *0.0 % .* nop$' got)" = 300000 ]
}

# A function that is inlined in 600,000 others.
many_candidates() {
	{
		printf 'rate|1\nmap|/nowhere/prog|aa|0|0x200000|0\n'
		seq 600000 | sed 's/.*/sample|1|1:&:inner^owner_&/'
	} | fixture_of owners.pb.gz
	status 2 timeout 60 "$profil" annotate -i owners.pb.gz -n 600000 inner
}

# Each of 100,000 instructions of a file of its own.
many_sources() {
	[ "$(uname -m)" = x86_64 ] || return 0
	{
		seq 100000 | sed 's/.*/.file & "none_&.c"/'
		printf '.globl many_files\n.type many_files, @function\nmany_files:\n'
		seq 100000 | sed 's/.*/.loc & 7\nnop/'
		echo .size many_files, . - many_files
	} >many.s
	gcc -Wl,--build-id=sha1 -o many "$here/prog/hot.c" many.s || return 1
	id=$(readelf -n many | sed -n 's/ *Build ID: //p')
	at=$(nm many | awk '$3 == "many_files" { print "0x" $1 }')
	fixture_of many.pb.gz <<-END
		rate|1
		map|$work/many|$id|0|0x200000|0
		sample|1|1:$at:many_files
	END
	timeout 60 "$profil" annotate -i many.pb.gz many_files >got || return 1
	[ "$(grep -c "/none_.* (can't be read)\$" got)" = 100000 ]
}

check "annotate_function_has_lines_and_code" annotated outer
check "annotate_inlined_name_shows_its_body" inlined
check "annotate_object_and_function" annotated hot:outer
check "annotate_ambiguous_list_and_status_1" ambiguous
check "annotate_two_statics_of_one_name_both" statics
check "annotate_unknown_function_status_1" unknown
check "annotate_object_replaced_is_refused" replaced
check "annotate_no_build_id_time_decides" rewritten
check "annotate_odd_path_no_shell_no_option" quoted
check "annotate_no_objdump_source_remains" no_objdump
check "annotate_source_is_fifo_not_read" fifo_source
check "annotate_symbols_are_read_once" symbols_read
check "annotate_many_samples_end_in_time" many_samples
check "annotate_many_sources_end_in_time" many_sources
check "annotate_many_candidates_end_in_time" many_candidates
finish
