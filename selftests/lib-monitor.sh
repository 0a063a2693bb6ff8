#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The library's tests of monitor() once more, on /dev/profil.  For the guest.
set -eu

dir=$(dirname "$0")/lib
exec "$dir/run" "$dir/test-monitor.sh"
