#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The library and its tests once more, for 32-bit programs.
# shellcheck disable=SC2154 # here is lib.sh's
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
# shellcheck source=/dev/null
. "$here/m32.sh"

relay "-m32: " "$here/run" "$here/test-backend.sh" "$here/test-calls.sh" \
	"$here/test-dialects.sh" "$here/test-dso.sh" "$here/test-dso-files.sh" \
	"$here/test-exec.sh" "$here/test-fork.sh" "$here/test-gmon.sh" \
	"$here/test-monitor.sh" "$here/test-preload.sh" "$here/test-signals.sh"
finish
