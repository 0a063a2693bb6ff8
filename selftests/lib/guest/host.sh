#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tests that the machine runs without /dev/profil, where all of them run:
# those of 32-bit programs, and what the machine noted that it could not run.
# For a guest without the module.
set -eu

dir=$(cd "$(dirname "$0")/.." && pwd)
set -- "$dir/test-m32.sh"
noted=$PROFIL_LIB_DIR.unable
if [ -e "$noted" ]; then
	# shellcheck disable=SC2046 # names of files
	set -- "$@" $(sort -u "$noted")
fi
exec "$dir/run" "$@"
