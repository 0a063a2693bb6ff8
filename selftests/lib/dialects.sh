# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # variables are lib.sh's
# The dialects, each with its macro: what the tests of all of them share.
# Sourced after lib.sh.

# The first is no macro.
dialects="glibc:-U_OSF_SOURCE bsd44:-D_NETBSD_SOURCE osf1:-D_OSF_SOURCE hpux:-D_HPUX_SOURCE"

# linked NAME SOURCE FLAG...: a program with the library.
linked() {
	build "$@" -Wl,-rpath,"$PROFIL_LIB_DIR" -L"$PROFIL_LIB_DIR" -lprofil
}

# One program a dialect for its page, and one for its column of the table.
build_dialects() {
	for dialect in $dialects; do
		linked "page_${dialect%:*}" "page_${dialect%:*}.c" \
			-std=gnu89 -pedantic -Wno-long-long "${dialect#*:}" ||
			return 1
		linked "table_${dialect%:*}" table.c "${dialect#*:}" || return 1
	done
}

# run_dialects [all]: all is what the kernel can do.
run_dialects() {
	for dialect in $dialects; do
		relay "${dialect%:*}: page: " "./page_${dialect%:*}" "$@"
		relay "" "./table_${dialect%:*}"
	done
}
