#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The table of causes: each reason for which /dev/profil does not serve, made
# real, by each entry point.  For the guest; PROFIL_LIB_DIR is the library's.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"

entry() {
	build "$1" entry.c "$2" -L"$PROFIL_LIB_DIR" -lprofil \
		-Wl,-rpath,"$PROFIL_LIB_DIR"
}

load() {
	insmod /run/vm/profil.ko && chmod 666 /dev/profil
}

nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# own MOUNT COMMAND...: where something else lies over /dev or /dev/profil.
own() {
	own_mount=$1
	shift
	unshare -m sh -c "$own_mount"'; exec "$@"' - "$@"
}

# Each line: the entry point, and a program with its argument.
entries="profil:glibc call
sprofil:glibc regions
4.4BSD:bsd44 call
OSF/1:osf1 call
OSF/1 extended:osf1 regions
HP-UX:hpux call
HP-UX sprofil:hpux regions
OpenBSD:openbsd call
monitor:glibc monitor
profil_backend_name:glibc name
-pg:pg
PROFIL_DSO:dso"

# One sentence, with all words of the cause; and the errno of the manual.
said() {
	said_line=$(grep '^libprofil: ' errors) || :
	said_count=0
	oldifs=$IFS
	IFS='
'
	for line in $said_line; do
		case $line in
		*": shared objects: "* | *": no profile written"*) ;;
		# On a slow machine even a program that does nothing has a sample.
		*": the profile of "*) ;;
		*) said_count=$((said_count + 1)) ;;
		esac
	done
	IFS=$oldifs
	cat errors out
	[ "$said_count" -eq 1 ] && grep -Eq "^libprofil: .*$cause" errors
}

# walks COMMAND...: an entry point where only the kernel may serve, and where
# the C library may too; what is started is $program.
walk() {
	for backend in kernel ''; do
		# In the emulator all of them twice take long.
		case $backend:$program in
		kernel:* | :"glibc call" | :*monitor | :pg | :dso) ;;
		*) continue ;;
		esac
		status=0
		rm -f gmon.out mon.out
		case $program in
		pg)
			PROFIL_BACKEND=$backend LD_PRELOAD=$preload \
				"$@" ./pg >out 2>errors || status=$?
			;;
		dso)
			PROFIL_BACKEND=$backend "$@" env PROFIL_DSO=1 \
				LD_PRELOAD="$preload" ./plain >out 2>errors ||
				[ $? -eq 7 ] || status=$?
			;;
		*)
			# shellcheck disable=SC2086 # a program, an argument
			PROFIL_BACKEND=$backend "$@" ./$program ${last-} \
				>out 2>errors || status=$?
			;;
		esac
		echo "PROFIL_BACKEND=$backend, status $status"
		said && [ "$status" -eq 0 ] || return 1
		case $backend:$program in
		kernel:*" call" | kernel:*" regions")
			grep -q "^-1 $error\$" out || return 1 ;;
		esac
	done
}

# cause NAME ERRNO PATTERN COMMAND...
cause() {
	cause_name=$1
	error=$2
	cause=$3
	shift 3
	echo "$entries" >entries
	while IFS=: read -r point program <&4; do
		case ${last-}:$program in
		files:pg | files:dso) continue ;;
		esac
		# Not known before a profile is asked for.
		case $error:$program in
		E[NB][OU][MS]*:*" name") continue ;;
		esac
		check "$cause_name: $point" walk "$@"
	done 4<entries
}

[ -e /run/vm/profil.ko ] || { skip "the table of causes" "no guest"; finish; }
chmod 777 .
# Where another user may read it.
cp "$preload" . && chmod 755 libprofil.so.1
preload=$work/libprofil.so.1
LD_LIBRARY_PATH=$work
export LD_LIBRARY_PATH
rm -f /.dockerenv /run/.containerenv
entry glibc -U_OSF_SOURCE
entry bsd44 -D_NETBSD_SOURCE
entry osf1 -D_OSF_SOURCE
entry hpux -D_HPUX_SOURCE
entry openbsd -D_OPENBSD_SOURCE
build pg calls.c -pg
build plain plain.c -Wno-unused-result
build forbid forbid.c
chmod 666 /dev/profil
echo hello >file

mode='mode 0600, owner 0 \(root\), group 0 \(root\); as root: chmod 666'
chmod 600 /dev/profil
cause "no permission" ENODEV "$mode" nobody
chmod 666 /dev/profil
cause "a mount with nodev" ENODEV 'its mode 0666 allows it; a mount with nodev' \
	own 'mkdir n; mount -t tmpfs -o nodev none n; cp -a /dev/profil n/p
		mount --bind n/p /dev/profil'
cause "a container without the node" ENODEV '--device /dev/profil' \
	own 'mount -t tmpfs none /dev; mknod -m 666 /dev/null c 1 3'
cause "a regular file" ENODEV 'is a regular file, not' \
	own 'mount --bind file /dev/profil'
cause "another device" ENODEV 'is another device, 1:3' \
	own 'mount --bind /dev/null /dev/profil'
cause "RLIMIT_MEMLOCK" ENOMEM \
	'pinned, and RLIMIT_MEMLOCK allows 0 KiB.*ulimit -l [0-9]+' \
	prlimit --memlock=0:0 setpriv --reuid 65534 --regid 65534 --clear-groups
thread_in_huge_page() {
	PROFIL_BACKEND=kernel ./huge >out 2>errors
	cat out errors
	[ "$(cat out)" = 12 ] && grep -q 'huge pages, which count whole' errors
}
build huge huge.c -D_OSF_SOURCE -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
case $(./huge >/dev/null 2>&1; echo $?) in
77) skip "RLIMIT_MEMLOCK: a thread in a huge page" "no transparent huge pages" ;;
*) check "RLIMIT_MEMLOCK: a thread in a huge page" thread_in_huge_page ;;
esac
last=files
cause "no descriptor" ENODEV 'RLIMIT_NOFILE.*ulimit -n' prlimit --nofile=20:20
last=
sysctl -q kernel.ftrace_enabled=0
cause "ftrace_enabled" EBUSY 'sysctl kernel.ftrace_enabled=1'
sysctl -q kernel.ftrace_enabled=1
cause "seccomp, EPERM" ENODEV 'seccomp.*ioctl\(\)' ./forbid 1
cause "seccomp, ENOSYS" ENODEV 'seccomp.*ioctl\(\)' ./forbid 38
# Not a test of that name, which PATH may find first.
/run/vm/busybox rmmod profil
cause "no module" ENODEV 'modprobe profil'
mknod -m 666 /dev/profil c 10 253
cause "a node that is left" ENODEV 'not loaded; as root: modprobe profil'
rm /dev/profil
echo >/.dockerenv
cause "no module, in a container" ENODEV \
	'on the host: modprobe profil.*--device /dev/profil'
rm /.dockerenv
load
cause_ends() {
	PROFIL_BACKEND='' under ./pg >out 2>errors && [ ! -s errors ]
}
check "the device serves: nothing is said" cause_ends
finish
