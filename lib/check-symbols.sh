#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails where what LIBRARY exports is not what the map and the list say.
# usage: check-symbols.sh NM LIBRARY MAP LIST
set -eu

nm=$1
library=$2
map=$3
list=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

{
	sed -n -e '/^local:/,$d' \
		-e 's/^\t\([a-z_0-9]*\);$/\1@@LIBPROFIL_1.0/p' "$map"
	grep -E '^[A-Za-z_0-9]+$' "$list"
	echo LIBPROFIL_1.0@@LIBPROFIL_1.0
} | LC_ALL=C sort >"$dir/wanted"
"$nm" -D --defined-only --with-symbol-versions "$library" |
	awk '{ sub(/^LIBPROFIL_1.0$/, "&@@&", $3); print $3 }' |
	LC_ALL=C sort >"$dir/exported"
if ! diff "$dir/wanted" "$dir/exported"; then
	echo "$library: symbols wanted (<) and exported (>) differ" >&2
	exit 1
fi
