#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The names of threads, as records tell them.  What is recorded of threads is tested
# by guest-threads.sh.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

with_model threads_told threads_told.c "$tree/tools/profil/threads.c" \
	-I"$tree/uapi"

# names_are BEFORE AFTER RECORD...: of the thread in the image before exec, and behind.
names_are() {
	names_wanted=$(printf '%s\n%s' "$1" "$2")
	shift 2
	./threads_told "$@" | tee got
	[ "$(cat got)" = "$names_wanted" ]
}

# execve() gives the new name before it ends the image.
before_exec() {
	names_are sh next 1:sh 1:next 2:next &&
		names_are sh last 1:sh 1:next 2:next 2:last
}

last_name() {
	names_are worker next 1:sh 1:worker 2:next &&
		names_are next next 1:next 2:next
}

check "threads_name_before_exec_is_kept" before_exec
check "threads_have_the_last_name_they_had" last_name
finish
