#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A stripped, static Go program, recorded as an ordinary user: its functions have
# names.  For the guest; elsewhere it compiles what that runs.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

go_build() {
	GOCACHE=$work/cache GO111MODULE=off GOFLAGS='' CGO_ENABLED=0 \
		go build -ldflags='-s -w' -o work "$progs/work.go"
}

named() {
	record 0 "$work/work" 3000 && rows function >/dev/null || return 1
	awk -F, 'NR > 1 {
			all += $1
			if ($5 ~ /\+0x|no symbol|^"\[anon|^"\[unmapped/) {
				print
				not += $1
			}
		}
		END { print not + 0, "of", all, "have no name"
		      exit !(all > 500 && 100 * not <= all) }' rows.csv &&
		share main.fib 3 && balanced
}

if command -v go >/dev/null; then
	cached work go_build
	chmod 755 ./*
	check "go_stripped_static_99_percent_named" named
else
	skip "go_stripped_static_99_percent_named" "there is no go"
fi
finish
