#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The file that -o names: what it never replaces, and what never goes into it.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# -o of a recording names the profile.
profile_kept() {
	small a.pb.gz
	small kept.pb.gz
	for command in html 'export --folded' 'export --speedscope' \
			'diff --html --base a.pb.gz --new a.pb.gz'; do
		case $command in
		diff*) in= ;;
		*) in='-i a.pb.gz' ;;
		esac
		# shellcheck disable=SC2086 # lists of words
		says 2 'kept.pb.gz is compressed, as profiles are' "$profil" \
			$command $in -o kept.pb.gz || return 1
	done
	cmp a.pb.gz kept.pb.gz && [ "$(echo kept.pb.gz*)" = kept.pb.gz ] || return 1
	echo text >page.html
	status 0 "$profil" html -i a.pb.gz -o page.html && grep -q '<html' page.html &&
		status 0 "$profil" export --pprof-names -i a.pb.gz -o kept.pb.gz
}

# With one that does not fit into a counter of gmon.out, which is told.
large_counter() {
	hot_profile && printf 'rate|1000\nmap|%s|%s|0|0x100000|0\nsample|90000|1:%s:outer\n' \
		"$work/hot" "$id" "$pc" | fixture_of large.pb.gz &&
		status 0 "$profil" export --gmon hot -i large.pb.gz -o whole &&
		grep -q 'too small' errors
}

# What is opened gets the number of a closed stream.
streams_closed() {
	large_counter || return 1
	"$profil" export --gmon hot -i large.pb.gz -o closed 2>&- &&
		cmp whole closed || return 1
	"$profil" export --gmon hot -i large.pb.gz -o closed 0<&- >&- 2>&- &&
		cmp whole closed
}

# SIGPIPE ends a command that has something to say to a reader that is gone.
reader_gone() {
	large_counter || return 1
	mkfifo reader
	for try in 1 2 3; do
		# shellcheck disable=SC2094 # a pipe of which one end is closed
		(exec 3<>reader 4>reader && exec 3<&- &&
			exec "$profil" export --gmon hot -i large.pb.gz \
				-o "gone$try" 2>&4) && return 1
	done
	ls
	[ "$(echo gone*)" = 'gone*' ]
}

check "output_keeps_a_profile_that_is_there" profile_kept
check "output_has_no_message_of_a_closed_stream" streams_closed
check "output_leaves_nothing_if_stderr_is_gone" reader_gone
finish
