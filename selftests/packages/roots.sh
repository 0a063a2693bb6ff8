# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Roots of Debian's releases in the cache.  After vm/lib.sh and vm/apt.sh.

: "${cache:?}" "${here:?}"

# The name of what a script makes of a release.
root_name() {
	mkdir -p "$cache/roots"
	echo "$cache/roots/$1-$2-$(cat "$3" "$here/roots.sh" | sha256sum | cut -c1-8)"
}

# make_root SUITE DIRECTORY OPTION-OF-MMDEBSTRAP...
make_root() {
	codename=$1
	made=$2
	shift 2
	# One that was interrupted may have the machine's /proc mounted inside.
	as_root rm -rf --one-file-system "$made.new"
	say "making a root of $codename"
	as_root mmdebstrap --quiet --mode=root \
		--aptopt='APT::Sandbox::User "root"' \
		--aptopt='APT::Install-Recommends "false"' \
		"$@" "$codename" "$made.new" \
		"$cache/apt/$codename-amd64/sources.list" >&2 || exit 1
	as_root mv "$made.new" "$made"
}
