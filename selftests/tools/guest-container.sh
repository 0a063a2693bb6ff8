#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil in a container: an ordinary user without capabilities, in namespaces of
# its own, with the system calls that Docker allows, its own /proc, 64 KiB of
# locked memory, and of all devices only /dev/profil.  For the guest; elsewhere
# it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

# boxed ARG... -- COMMAND: bubblewrap with more of its options.
boxed() {
	boxed_options=
	while [ "$1" != -- ]; do
		boxed_options="$boxed_options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # options
	user timeout 100 prlimit --memlock=65536:65536 bwrap --unshare-all \
		--cap-drop ALL --ro-bind / / --tmpfs /proc --dev /dev \
		--dev-bind /dev/profil /dev/profil --bind "$work/user" "$work/user" \
		--chdir "$work/user" $boxed_options "$work/sandbox" "$@" \
		>got 2>errors
	boxed_is=$?
	cat got errors
	return $boxed_is
}

perf_refused() {
	boxed --proc /proc -- refused
}

runs() {
	boxed --proc /proc -- "$profil" run "$work/shares" 1500 &&
		three_to_one heavy light && rows object && grep -q shares rows.csv
}

forked() {
	boxed --proc /proc -- "$profil" run sh -c "$work/shares 1500; :" &&
		three_to_one heavy light
}

# Its map has the pid that the process has in here.  Long, because a machine that
# stands still for 0.2 s loses 200 samples.
made_text() {
	boxed --proc /proc --bind /tmp /tmp -- "$profil" run "$work/own_text" 3000 ||
		return 1
	rows function >/dev/null
	share made_loop 60
}

# The program is a child of the shell, and Yama would let only its parent trace.
attaches() {
	cat >user/attaches <<-END
		#!/bin/sh
		$work/shares 100000 & p=\$!
		$profil attach -d 2 -p \$p
		status=\$?
		kill -KILL \$p
		exit \$status
	END
	chmod 755 user/attaches
	boxed --proc /proc -- ./attaches && three_to_one heavy light
}

# A /proc that is not mounted, and that of other pids, which bwrap leaves alone.
runs_without_proc() {
	for without in "--dir /proc" "--ro-bind /proc /proc"; do
		# shellcheck disable=SC2086 # words
		boxed $without -- "$profil" run "$work/shares" 2000 &&
			three_to_one heavy light &&
			grep -q '^note: /proc shows none of these processes' errors ||
			return 1
	done
	boxed --proc /proc -- "$profil" run "$work/shares" 2000 &&
		! grep '^note: /proc' errors
}

no_attach_without_proc() {
	! boxed -- "$profil" attach -d 1 -p 1 && grep -q '/proc' errors
}

build shares shares.c
build own_text own_text.c
build sandbox sandbox.c
chmod 755 ./*
command -v bwrap >/dev/null || unable=${unable:-"there is no bubblewrap here"}

check "container: perf is refused" perf_refused
check "container: run, two functions, 3 to 1" runs
check "container: their samples add up to the books" balanced
check "container: a program that another one starts" forked
check "container: code that a program made, by its map" made_text
check "container: attach to a process of its own" attaches
check "container: run without /proc" runs_without_proc
check "container: attach without /proc says why not" no_attach_without_proc
finish
