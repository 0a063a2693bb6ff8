#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The shares of shared objects, on /dev/profil.  For the guest.
set -eu

dir=$(dirname "$0")/lib
exec "$dir/test-dso.sh" shares
