#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The dialects on /dev/profil.  For the guest.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
. "$here/../dialects.sh"

PROFIL_BACKEND=kernel
export PROFIL_BACKEND
check "each dialect's programs compile" build_dialects
run_dialects all
check "the programs of threads compile" linked osf1_threads osf1_threads.c
relay "osf1: " ./osf1_threads
if [ "$(uname -m)" = x86_64 ]; then
	check "the program of the tables compiles" linked hpux_live hpux_live.c
	relay "hpux: " ./hpux_live
else
	skip "hpux: the tables on the spot" "not this machine"
fi
finish
