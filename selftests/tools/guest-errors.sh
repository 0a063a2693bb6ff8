#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What profil says, as an ordinary user, where it can't do what it is told, or
# where less is seen than could be.  For the guest; elsewhere it compiles.
# shellcheck disable=SC2317,SC2154,SC2016 # by name, for another shell
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# says TEXT: a message has it, and the program has not run.
says() {
	grep -qe "$1" errors && [ ! -s got ]
}

no_permission() {
	chmod 600 /dev/profil
	record 125 echo ran
	no_permission=$?
	chmod 666 /dev/profil
	[ $no_permission -eq 0 ] && says 'ask the administrator for access'
}

rate_not_allowed() {
	record 125 -r 20000 echo ran && says 'at most 10000 samples a second'
}

# Each has a table, until the allowance of a CPU is used up.
no_memlock() {
	again="$profil run -q --no-paths -r 10000"
	i=0
	while [ $i -lt 6 ]; do
		again="$again $profil run -q --no-paths -r 10000"
		i=$((i + 1))
	done
	# shellcheck disable=SC2086 # words of a command
	user prlimit --memlock=0 $again echo ran >got 2>errors
	no_memlock=$?
	cat errors
	[ $no_memlock -eq 125 ] &&
		says 'raise RLIMIT_MEMLOCK (ulimit -l), or lower -r'
}

too_many_observe_it() {
	record 125 -q "$profil" run -q "$profil" run -q "$profil" run -q \
		"$profil" run echo ran && says 'observers watch this process already'
}

disk_full() {
	mkdir full && mount -t tmpfs -o size=4k,mode=777 tmpfs full || return 1
	disk_full=1
	dd if=/dev/zero of=full/filler bs=4096 count=1 2>/dev/null &&
		record 7 -o "$work/full/x.pb.gz" sh -c 'exit 7' &&
		grep -q "full/x.pb.gz: No space left .*choose a place with -o" \
			errors && [ "$(ls full)" = filler ] &&
		grep -q '/tmp/profil.*\.pb\.gz$' errors && disk_full=0
	umount full
	return $disk_full
}

killed() {
	record 137 "$work/shares" 100 kill &&
		grep -q 'shares was killed by signal 9: Killed' errors &&
		record 130 sh -c 'kill -INT $$' && ! grep -q 'killed' errors &&
		record 137 -q "$work/shares" 100 kill && [ ! -s errors ]
}

missing_program() {
	record 127 ./missing && says 'missing: No such file' &&
		record 126 ./ && says 'Permission denied'
}

# All that is in memory is written where there is room for it.
no_directory() {
	mkdir -p tmp && chmod 777 tmp || return 1
	TMPDIR=$work/tmp record 5 -o none/x.pb.gz sh -c 'exit 5' &&
		grep -q 'none/x.pb.gz: No such file .*choose a place with -o' \
			errors && user "$profil" report -i "$work"/tmp/profil.*.pb.gz
}

# What can't be meant is refused before the program runs.
odd_options() {
	record 125 --delay -1 echo ran && says 'waits for an enable' &&
		record 125 -r 0.5 echo ran && says 'a whole number' &&
		! grep -q ran got || return 1
	is=0
	user "$profil" attach -p 1 -p 2 >got 2>errors || is=$?
	cat errors
	[ $is -eq 2 ] && grep -q 'one process is followed, and -p 1' errors
}

# As a shell does, it runs a script that names no interpreter.
script() {
	printf 'echo "from $0"\nexit 3\n' >user/script
	chmod 755 user/script
	record 3 ./script && grep -q 'from ./script' got
}

script_of_python() {
	record 0 python3 -c 'for i in range(3000000): i * i' &&
		user "$profil" report | grep 'note: .*runs a script.*py-spy'
}

no_symbols() {
	record 0 "$work/stripped" 300 && grep -q 'stripped+0x' errors &&
		user "$profil" report | grep 'no names: .* in .*stripped'
}

no_map_of_made_code() {
	record 0 "$work/own_text" 2000 fifo &&
		user "$profil" report | grep 'code that a program made as it ran'
}

# A pipe has no bars and no colour.
no_terminal() {
	record 0 "$work/shares" 200 && user "$profil" report >printed &&
		! grep -q "$(printf '\033')" printed && ! grep -q '█' printed
}

target_ends_first() {
	"$work/shares" 1 & ended=$!
	wait $ended
	is=0
	user "$profil" attach -p $ended >got 2>errors || is=$?
	cat errors
	[ $is -eq 1 ] && grep -q "there is no process $ended" errors
}

no_profile_yet() {
	rm -f user/profil.pb.gz*
	is=0
	user "$profil" report >got 2>errors || is=$?
	cat errors
	[ $is -eq 1 ] && says 'record one with profil run PROGRAM'
}

forgot_run() {
	is=0
	user "$profil" "$work/shares" >got 2>errors || is=$?
	cat errors
	[ $is -eq 2 ] && says "did you mean profil run $work/shares"
}

build shares shares.c
build own_text own_text.c
strip -o stripped shares
chmod 755 ./*

check "errors: the device may not be opened" no_permission
check "errors: a rate that is not allowed" rate_not_allowed
check "errors: no locked memory is left" no_memlock
check "errors: observers enough" too_many_observe_it
check "errors: the disk is full" disk_full
check "errors_o_in_no_directory_is_written_elsewhere" no_directory
check "errors_odd_options_are_refused" odd_options
check "errors: a program that is killed" killed
check "errors: no such program, and a directory" missing_program
check "errors: a script without an interpreter's name" script
check "errors: a script of Python is told from Python" script_of_python
check "errors: no symbols" no_symbols
check "errors: made code without a map" no_map_of_made_code
check "errors: no terminal" no_terminal
check "errors: the process has ended" target_ends_first
check "errors: no profile yet" no_profile_yet
check "errors: the word run was forgotten" forgot_run
finish
