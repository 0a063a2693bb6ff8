#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The library's tests of what a program sees of PROFIL_ON_SIGNAL once more, on
# /dev/profil.  For the guest.
set -eu

dir=$(dirname "$0")/lib
exec "$dir/run" "$dir/test-signals.sh"
