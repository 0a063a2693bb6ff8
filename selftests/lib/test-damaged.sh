#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# prof, instrumented by ASan and UBSan, on files with every kind of damage.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# A header that claims much is to be found out before memory is taken.
ASAN_OPTIONS=handle_abort=1:detect_leaks=0:max_allocation_size_mb=64
export ASAN_OPTIONS
unset DEBUGINFOD_URLS

build_sweep() {
	make -s -C "$tree/selftests" O="$work" CC=gcc "$work/damaged/sweep" ||
		{ : >uncompiled; return 1; }
	"$tree/selftests/damaged/seeds" seeds
}

# The debug file of program/stripped is named without a directory.
# shellcheck disable=SC2086 # none, or words
sweep() {
	(cd "$work/seeds/$(dirname "$1")" &&
		timeout 200 $steady "$work/damaged/sweep" "$(basename "$1")")
}

needs_to_run ASan
check "prof compiles with the sanitizers" build_sweep
[ -d seeds ] || finish
seeds=$(cd seeds && echo */*)
for seed in $seeds; do
	check "$seed: cut at every length, every byte and word changed" \
		sweep "$seed"
done
finish
