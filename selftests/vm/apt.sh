# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The package lists of every suite, apart from the machine's own.  Each suite
# and architecture has its own apt in the cache, with the machine's mirror and
# keys.  Sourced after lib.sh.  A function that sets variables is a subshell, so
# that the caller's stay as they are.

: "${cache:?}"

# In which a version is looked for, in this order.
# shellcheck disable=SC2034 # by those that read this file
suites="bookworm bullseye trixie trixie-backports sid experimental"

# Where the machine has its packages from; of this label.
mirror() {
	# shellcheck disable=SC2016 # the format is expanded by apt
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		"Label: $1" | head -n 1
}

# The lines of a sources.list: the suite, and its security updates if this
# machine has some.
sources() {
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "deb [signed-by=$keys] $(mirror Debian) $1 main"
	security=$(mirror Debian-Security)
	case $1 in
	*-backports | sid | experimental) ;;
	*)
		[ -z "$security" ] ||
			echo "deb [signed-by=$keys] $security $1-security main" ;;
	esac
}

# Runs a program of apt for a suite and an architecture.
suite_apt() (
	root=$cache/apt/$1-$2
	tool=$3
	shift 3
	"$tool" -c "$root/apt.conf" "$@"
)

# The kbuild of every architecture is this machine's.
suite_make() (
	[ -n "$(mirror Debian)" ] || apt_update
	[ -n "$(mirror Debian)" ] || die "apt knows no mirror of Debian"
	root=$cache/apt/$1-$2
	mkdir -p "$root/lists/partial" "$root/archives/partial" "$root/none"
	: >"$root/status"
	sources "$1" >"$root/sources.list"
	cat >"$root/apt.conf" <<END
Dir::Etc::SourceList "$root/sources.list";
Dir::Etc::SourceParts "$root/none";
Dir::Etc::Preferences "$root/none/preferences";
Dir::Etc::PreferencesParts "$root/none";
Dir::State::Lists "$root/lists";
Dir::State::Status "$root/status";
Dir::Cache "$root";
Dir::Cache::Archives "$root/archives";
Dir::Cache::pkgcache "pkgcache.bin";
#clear APT::Architectures;
APT::Architecture "$2";
APT::Architectures { "$2"; "amd64"; };
APT::Sandbox::User "root";
END
)

# Reads the lists of a suite's sources; one that is missing is an error.
suite_lists() {
	suite_apt "$1" "$2" apt-get -qq -o APT::Update::Error-Mode=any update
}

# Brings the lists of a suite, new ones if some are there.  A repository of
# security updates that does not answer is done without.
suite_update() {
	say "reading the package lists of $1 ($2)"
	suite_make "$1" "$2"
	list=$cache/apt/$1-$2/sources.list
	if ! suite_lists "$1" "$2" 2>"$list.log"; then
		say "trying $1 without its security updates"
		sed -i 2d "$list"
		suite_lists "$1" "$2" >&2 || {
			cat "$list.log" >&2
			die "cannot read the package lists of $1"
		}
	fi
	touch "$cache/apt/$1-$2/complete"
}

# Scripts that need one suite at the same time wait for the first of them.
suite_need() (
	[ ! -e "$cache/apt/$1-$2/complete" ] || exit 0
	mkdir -p "$cache/apt"
	exec 9>"$cache/apt/$1-$2.lock"
	flock 9
	[ -e "$cache/apt/$1-$2/complete" ] || suite_update "$1" "$2"
)

# Downloads packages, with no dependencies, into the current directory; with
# lists that are no longer true, from new ones.
suite_download() (
	suite=$1
	arch=$2
	shift 2
	say "downloading $*"
	suite_apt "$suite" "$arch" apt-get -qq download "$@" 2>apt.log || {
		[ -n "$(find "$cache/apt/$suite-$arch/complete" -mmin +5)" ] &&
			suite_update "$suite" "$arch" &&
			suite_apt "$suite" "$arch" apt-get -qq download "$@" 2>apt.log
	} || { cat apt.log >&2; die "cannot download $*"; }
)
