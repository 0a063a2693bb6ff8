#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# 32-bit programs, with the library, on /dev/profil.  For the guest.
# shellcheck disable=SC2154 # here is lib.sh's
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=/dev/null
. "$here/lib/m32.sh"

for name in calls dialects kernel openbsd profdir; do
	relay "-m32: $name: " "$here/lib-$name.sh"
done
finish
