# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the jobs in the guests share: KTAP, apt, and what is asked more than
# once.  Sourced by /mnt/run, beside which the packages and this tree are.

PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
DEBIAN_FRONTEND=noninteractive
LC_ALL=C.UTF-8
export PATH DEBIAN_FRONTEND LC_ALL
# shellcheck disable=SC2034 # this and the next are for who reads this file
release=$(uname -r)
# shellcheck disable=SC2034
ours="profil profil-dkms libprofil1 libprofil-dev profil-tools"
nr=0
bad=0

# check NAME COMMAND ARGUMENT...: what it printed is shown if it fails.
check() {
	nr=$((nr + 1))
	name=$1
	shift
	echo "$name" >/dev/kmsg
	if "$@" >/run/check 2>&1; then
		echo "ok $nr - $name"
	else
		tail -n 60 /run/check | sed 's/^/# /'
		echo "not ok $nr - $name"
		bad=$((bad + 1))
	fi
}

finish() {
	echo "1..$nr"
	printf '# end %s\n' $((bad > 0))
}

# With no network: what is wanted is in apt's cache.
apt_do() {
	apt-get -qq -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@"
}

as_user() {
	runuser -u user -- env -C /home/user AUTOPKGTEST_TMP=/home/user "$@"
}

# installed VERSION RELEASE: by DKMS, and signed with DKMS's key.
installed() {
	dkms status -m profil -v "$1" -k "$2" | grep ': installed' &&
		modinfo -k "$2" -F filename profil | grep /updates/dkms/ &&
		modinfo -k "$2" -F signer profil | grep -x 'DKMS module signing key'
}

# The device is there and everyone's.
device() {
	modprobe profil && udevadm settle &&
		[ "$(stat -c %F:%a /dev/profil)" = "character special file:666" ]
}

# Any program, as README says: a table, and a picture.
any_program() {
	# shellcheck disable=SC2016 # perl's
	as_user profil run -o my.pb.gz perl -e '$x += $_ * 3 for 1 .. 6000000' \
		2>/tmp/said || { cat /tmp/said; return 1; }
	as_user profil report -i my.pb.gz >/tmp/table &&
		as_user profil html -i my.pb.gz -o my.html || return 1
	cat /tmp/said /tmp/table
	grep -q 'profil html' /tmp/said &&
		awk '$1 ~ /^[0-9.]+$/ && / perl / { share += $1 }
			END { exit !(share > 50) }' /tmp/table &&
		grep -qi '<html' /home/user/my.html
}

# What a user does after the installation: any program, a -pg program, one that is
# linked, and the program of docs/use.md.
works() {
	device && any_program && as_user /mnt/program kernel &&
		as_user gcc -O2 -Wall -Werror -o example /mnt/example.c &&
		as_user ./example | tee /tmp/example &&
		awk '/ samples$/ { samples += $2 } / ticks, / { ticks = $1 }
			END { exit !(samples > 0 && ticks >= samples) }' /tmp/example
}

# The module does not load without a signature.
unsigned() {
	modprobe -qr profil
	file=$(modinfo -F filename profil)
	case $file in
	*.xz) xz -dc "$file" ;;
	*) cat "$file" ;;
	esac >/tmp/profil.ko
	objcopy --strip-debug /tmp/profil.ko &&
		[ -z "$(modinfo -F signer /tmp/profil.ko)" ] &&
		! insmod /tmp/profil.ko &&
		dmesg | grep -i 'loading of unsigned module is rejected'
	status=$?
	rm /tmp/profil.ko
	return $status
}

# Nothing but a log, and the C library's header, has a name like ours.
nothing_left() {
	left=$(dkms status 2>/dev/null | grep profil
		find / -xdev -regextype posix-extended -not -path '/home/*' \
			-not -path '/var/log/*' -not -path '/var/lib/apt/*' \
			-not -path '*/sys/profil.h' -not -path '/root/*' \
			-regex '.*/(lib|60-)?profil([.-].*)?'
		find /usr/bin/prof /dev/profil /sys/module/profil -maxdepth 0
		dpkg-query -W -f '${Package} ${db:Status-Status}\n' '*profil*' |
			grep -v ' not-installed$')
	[ -z "$left" ] || { echo "left: $left"; return 1; }
}
