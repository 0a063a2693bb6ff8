#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# valgrind knows from an ioctl's number what it reads and writes.  For the guest.
# shellcheck disable=SC2317 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

says_nothing() {
	valgrind -q --error-exitcode=3 ./ioctls "$1" >said 2>&1
	status=$?
	cat said
	[ "$status" = 0 ] && [ ! -s said ]
}

says() {
	valgrind -q --error-exitcode=3 ./ioctls "$1" >said 2>&1
	status=$?
	cat said
	[ "$status" = 3 ] && grep -q "ioctl(.*) points to $2 byte" said
}

build ioctls ioctls.c
check "ioctls_initialised_valgrind_silent" says_nothing right
check "ioctl_uninitialised_valgrind_reports" says uninitialised uninitialised
check "ioctl_short_struct_valgrind_reports" says short unaddressable
finish
