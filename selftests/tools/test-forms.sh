#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Forms of debug information: compressed, shared with others by dwz, split from
# the program and packed.  What the machine's elfutils can't read loses no name.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

rows() {
	"$profil" report -i hot.pb.gz --csv --by line >rows 2>errors || return 1
	cat rows errors
}

# whole: an inlined function, its file and its line.
whole() {
	rows && grep -q '^90,90,.*"inner",.*hot\.c",7,' rows &&
		grep -q '^0,90,.*"outer",.*hot\.c",15,' rows
}

# by_symbols: the function that it is inlined in.
by_symbols() {
	rows && grep -q '^90,90,.*"outer",' rows && grep -q '"cold",' rows
}

compressed() {
	hot_profile -gz=zlib && readelf -SW hot |
		grep -q ' \.debug_info .* C  *0 ' && whole
}

# elfutils can since 0.189.
compressed_by_zstd() {
	hot_profile && objcopy --compress-debug-sections=zstd hot zstd &&
		mv zstd hot && { whole || by_symbols; }
}

# Without what dwz took out of both there is less.
shared() {
	hot_profile && gcc -g -O1 -shared -fPIC -o twin.so "$here/prog/hot.c" &&
		cp twin.so twin2.so &&
		dwz -m common.debug hot twin.so twin2.so && readelf -SW hot |
		grep -q ' \.gnu_debugaltlink ' && whole &&
		readelf -wi hot 2>/dev/null | grep -q 'alt indirect string\|alt=\|GNU_ref_alt'
}

shared_is_missing() {
	rm common.debug && rows && grep -q '"outer"\|"inner"' rows &&
		grep -q '"cold"' rows
}

split() {
	rm -f ./*.dwo
	hot_profile -gsplit-dwarf "$1" && ls ./*.dwo && whole
}

split_is_missing() {
	rm ./*.dwo && by_symbols
}

# elfutils can since 0.192.
packed() {
	hot_profile -gsplit-dwarf -gdwarf-4 && dwp -e hot -o hot.dwp &&
		rm ./*.dwo && { whole || by_symbols; }
}

check "forms_compressed_by_zlib_has_inlined_lines" compressed
check "forms_compressed_by_zstd_loses_no_name" compressed_by_zstd
if command -v dwz >/dev/null; then
	check "forms_shared_by_dwz_has_inlined_lines" shared
	check "forms_shared_file_missing_loses_no_name" shared_is_missing
else
	skip "forms_shared_by_dwz" "there is no dwz"
fi
check "forms_split_dwarf_4_has_inlined_lines" split -gdwarf-4
check "forms_split_dwarf_5_has_inlined_lines" split -gdwarf-5
check "forms_split_file_missing_loses_no_name" split_is_missing
check "forms_packed_dwp_loses_no_name" packed
finish
