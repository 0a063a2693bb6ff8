#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# 32-bit programs, with the library, on /dev/profil.  For the guest.
# shellcheck disable=SC2154 # here is lib.sh's
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
. "$here/../m32.sh"

relay "-m32: calls: " "$here/../run" "$here/../test-calls.sh" "$here/../test-fork.sh"
for name in dialects kernel openbsd profdir; do
	relay "-m32: $name: " "$here/$name.sh"
done
finish
