# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the scripts of the runner and of the checks share: messages, packages,
# the cache.

# A make that called us must not hand its O= on to the kernel's.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL

# Which an ordinary user's shell may not look into.
PATH=$PATH:/usr/sbin:/sbin

cache=${XDG_CACHE_HOME:-$HOME/.cache}/profil
mkdir -p "$cache"

say() {
	printf 'profil: %s\n' "$*" >&2
}

die() {
	say "$@"
	exit 125
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "this is for root, or for a user with sudo, which is not here"
	fi
}

# Compilers, kernels and emulators are Debian's packages.
on_debian() {
	# shellcheck source=/dev/null
	system=$(. "${os_release:-/etc/os-release}" &&
		echo "$ID-${VERSION_ID:-next}: $PRETTY_NAME") ||
		system="unknown: another system"
	# Debian's next release has no number.
	case "$(uname -m) $system" in
	"x86_64 debian-next:"* | "x86_64 debian-1"[2-9]:*) return ;;
	esac
	die "this runs on Debian 12 or 13, amd64, and brings what it needs" \
		"with apt-get; this is ${system#*: }, $(uname -m)." \
		"A container of Debian is enough: it needs root, and to mount."
}

# Both wait for another installation to end.
apt_install() {
	as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -o DPkg::Lock::Timeout=600 -qq -y \
		install --no-install-recommends "$@" >"$cache/apt.log" 2>&1
}

apt_update() {
	say "updating the package lists"
	as_root flock "$cache" apt-get -qq update >&2
}

# Sees to it that each package is installed.
need() {
	on_debian
	have=$(dpkg-query -W -f='${Package}:${db:Status-Status} ' "$@" \
		2>/dev/null) || :
	missing=
	for wanted; do
		case " $have" in
		*" $wanted:installed "*) ;;
		*) missing="$missing $wanted" ;;
		esac
	done
	[ -n "$missing" ] || return 0
	say "installing$missing"
	# shellcheck disable=SC2086 # a list of names
	apt_install $missing || { apt_update && apt_install $missing; } ||
		{ cat "$cache/apt.log" >&2; die "cannot install$missing"; }
}

# Downloads packages, with no dependencies, into the current directory.
download() {
	say "downloading $*"
	apt-get -qq -o APT::Sandbox::User=root download "$@" 2>apt.log ||
		{ apt_update && apt-get -qq -o APT::Sandbox::User=root \
			download "$@" 2>apt.log; } ||
		{ cat apt.log >&2; die "cannot download $*"; }
}

# Runs a command, alone among those that name the same lock.
alone() {
	lock=$1
	shift
	mkdir -p "$(dirname "$cache/$lock")"
	flock "$cache/$lock.lock" "$@"
}

# One name for the contents of files, or trees of files.
digest() {
	find "$@" -type f -print0 | LC_ALL=C sort -z |
		xargs -0 sha256sum | sha256sum | cut -c1-16
}

# The cache's directory for what is built from a tree.
tree_cache() {
	printf '%s/trees/%s\n' "$cache" \
		"$(printf %s "$1" | sha256sum | cut -c1-16)"
}

# Where what a tree is built into goes: below it, if it may be written to.
tree_out() {
	if [ -w "$1" ]; then
		echo "$1/build"
	else
		echo "$(tree_cache "$1")/build"
	fi
}

# By what a kernel in the cache can reach the host's files; nothing if they are
# of another architecture.
host_share() {
	case $(cat "$1/release") in
	*-arm64) return ;;
	esac
	if grep -q '^CONFIG_NET_9P_VIRTIO=' "$1/kdir/.config"; then
		echo 9p
	else
		echo virtiofs
	fi
}
