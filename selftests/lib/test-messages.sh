#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the library says: of a program that is not profiled, and of a file that
# can't be written.
# shellcheck disable=SC2016,SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# lines N PATTERN COMMAND...: it says so many lines, all of them with PATTERN.
lines() {
	wanted=$1
	pattern=$2
	shift 2
	"$@" >out 2>errors || echo "status $?"
	cat errors
	grep -c '^libprofil: ' errors >count || :
	[ "$(cat count)" -eq "$wanted" ] &&
		[ "$(grep -c "^libprofil: .*$pattern" errors)" -eq "$wanted" ]
}

# Its name, and what to do.
unprofiled() {
	name=$1
	shift
	lines 1 "$name was not profiled: .*gcc -pg.*PROFIL_DSO=1" "$@"
}

silent() {
	lines 0 . "$@"
}

status_stays() {
	status=0
	LD_PRELOAD=$preload "$@" 2>/dev/null || status=$?
	echo "status $status"
	[ "$status" -eq 7 ]
}

# Coreutils close standard error before any destructor.
first_try() {
	unprofiled ls under ls /
}

piped() {
	under ls / 2>&1 >/dev/null | cat >piped.errors
	cat piped.errors
	[ "$(grep -c 'ls was not profiled' piped.errors)" -eq 1 ]
}

shell() {
	unprofiled sh under sh -c 'i=0; while [ $i -lt 100 ]
		do /bin/true; i=$((i + 1)); done; ls /'
}

make_once() {
	printf 'all: a b c\na b c:\n\t@ls / >/dev/null; true\n' >Makefile
	unprofiled make under make -s -j2
}

exported() {
	(LD_PRELOAD=$preload && export LD_PRELOAD && unprofiled plain ./plain)
}

data_file() {
	under ./plain data || [ $? -eq 7 ]
	ls -l data
	[ ! -s data ]
}

closed() {
	(exec 2>&-; LD_PRELOAD=$preload ./plain) || [ $? -eq 7 ]
}

# A reader that has gone is no SIGPIPE.
no_reader() {
	mkfifo pipe
	sh -c 'exec 3<pipe' &
	status=0
	(exec 2>pipe; sleep 1; LD_PRELOAD=$preload ./plain) || status=$?
	wait
	echo "status $status"
	[ "$status" -eq 7 ]
}

vforked() {
	LD_PRELOAD=$preload ./plain vfork 2>errors || :
	cat errors
	[ "$(head -n 1 errors)" = after ] && [ "$(wc -l <errors)" -eq 2 ]
}

launcher() {
	rm -f gmon.out
	silent under sh -c './calls >/dev/null; true' && [ -s gmon.out ]
}

secure() {
	cp plain setid && chgrp nogroup setid && chmod g+s setid &&
		silent under ./setid
}

for_samples() {
	PROFIL_BACKEND='' lines 1 \
		'sampling by SIGPROF.*\(modprobe profil\|--device /dev/profil\)' \
		under "$@"
}

asked_libc() {
	PROFIL_BACKEND=libc silent under ./calls
}

# in_place PATTERN COMMAND...: what stands where gmon.out should go.
in_place() {
	rm -rf gmon.out target
	place=$1
	shift
	"$@" && lines 1 "gmon.out: $place: no profile written; " under ./calls
}

not_as_root() {
	mkdir -p locked && chmod 755 . locked && rm -f locked/* &&
		chmod 755 locked
	(cd locked && lines 1 "gmon.out: .*may not be .*no profile written" \
		env LD_PRELOAD="$preload" setpriv --reuid 65534 --clear-groups \
		../calls)
}

kept() {
	cmp gmon.out old.out && [ "$(stat -c %i gmon.out)" = "$inode" ] &&
		! ls gmon.out.*
}

old_file() {
	rm -rf gmon.* && echo "the old one" >gmon.out
	cp gmon.out old.out
	inode=$(stat -c %i gmon.out)
}

# The limit sends a signal, and the program does not end by it.
too_large() {
	old_file
	(ulimit -f 1; LD_PRELOAD=$preload ./calls 2>&1 >/dev/null) |
		cat >errors
	cat errors
	grep -q 'gmon.out: .*RLIMIT_FSIZE.* no profile .* old one is kept; .*ulimit -f' \
		errors && kept
}

survives() {
	old_file
	status=0
	(ulimit -f 0; LD_PRELOAD=$preload ./plain_pg _exit_not) \
		>/dev/null 2>&1 || status=$?
	echo "status $status"
	[ "$status" -eq 7 ] && kept
}

full_disk() {
	unshare -m sh -c '
		set -e
		mkdir -p full
		mount -t tmpfs -o size=32k none full
		cd full
		echo "the old one" >gmon.out
		cat /dev/zero >filler 2>/dev/null || :
		LD_PRELOAD=$1 ../calls >/dev/null 2>../errors
		ls -la
		cat ../errors
		[ "$(cat gmon.out)" = "the old one" ]
		[ "$(ls)" = "filler
gmon.out" ]
		grep -q "gmon.out: has no room.*no profile written.*kept" ../errors
		# To a file with two names it is written in place.
		ln gmon.out other
		LD_PRELOAD=$1 ../calls >/dev/null 2>&1
		[ "$(cat other)" = "the old one" ]' - "$preload"
}

links_stay() {
	old_file
	ln gmon.out other
	chmod 640 gmon.out
	silent under ./calls || return 1
	cmp gmon.out other && gprof_calls calls other >other.calls &&
		[ -s other.calls ]
}

mode_stays() {
	old_file
	chmod 640 gmon.out
	silent under ./calls && [ "$(stat -c %a gmon.out)" = 640 ] &&
		gprof_calls calls gmon.out >mode.calls && [ -s mode.calls ]
}

# acl set|compare: the owner rw-, a user r--, the group ---, the mask r--
acl() {
	python3 -c 'import os, struct, sys
entries = (1, 6, -1), (2, 4, 65534), (4, 0, -1), (16, 4, -1), (32, 0, -1)
acl = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, rights, user & 0xffffffff)
    for tag, rights, user in entries)
name = "system.posix_acl_access"
if sys.argv[1] == "set":
    os.setxattr("gmon.out", name, acl)
sys.exit(os.getxattr("gmon.out", name) != acl)' "$1"
}

acl_stays() {
	old_file
	acl set && silent under ./calls && acl compare &&
		gprof_calls calls gmon.out >acl.calls && [ -s acl.calls ]
}

write_protected() {
	mkdir -p protected && chmod 777 . protected
	cp old.out protected/gmon.out && chmod 444 protected/gmon.out
	chown 65534 protected/gmon.out
	(cd protected && lines 1 'gmon.out: may not be written to: no profile' \
		env LD_PRELOAD="$preload" setpriv --reuid 65534 --clear-groups \
		../calls) && cmp protected/gmon.out old.out
}

# The directory may not be written to, the file in it may.
no_new_name() {
	mkdir -p held && echo x >held/gmon.out && chmod 666 held/gmon.out &&
		chmod 755 held
	(cd held && env LD_PRELOAD="$preload" setpriv --reuid 65534 \
		--clear-groups ../calls >/dev/null) &&
		gprof_calls calls held/gmon.out >held.calls && [ -s held.calls ]
}

# daemon REDIRECTION: to syslog, under the program's name
daemon() {
	unshare -m sh -c '
		set -e
		mount -t tmpfs none /dev
		mknod -m 666 /dev/null c 1 3
		perl -MIO::Socket::UNIX -e '\''
			$s = IO::Socket::UNIX->new(Type => SOCK_DGRAM,
				Local => "/dev/log") or die;
			open(R, ">ready"); close R;
			alarm 20; recv($s, $m, 2000, 0); print "$m\n"'\'' >log &
		while [ ! -e ready ]; do sleep 0.1; done
		rm -rf gmon.out; ln -s x gmon.out
		eval "LD_PRELOAD=$1 ./calls >/dev/null $2"
		wait' - "$preload" "$1"
	rm -f ready gmon.out
	cat log
	grep -q '^<11>calls\[[0-9]*\]: libprofil: gmon.out: is a symbolic link: no profile' log
}

# faked PATTERN NAME=VALUE...: what the kernel or a sandbox answers instead.
faked() {
	fault=$1
	shift
	for call in call regions; do
		lines 1 "no samples: .*$fault" env PROFIL_BACKEND=kernel "$@" \
			LD_PRELOAD="$work/fake.so" ./entry $call || return 1
	done
	lines 1 "no samples, only calls: .*$fault" env PROFIL_BACKEND=kernel \
		"$@" LD_PRELOAD="$work/fake.so $preload" ./calls
}

uncatchable() {
	for signal in KILL SIGSTOP; do
		PROFIL_ON_SIGNAL=$signal lines 1 "$signal cannot be caught" \
			under ./calls || return 1
	done
}

not_twice() {
	rm -rf gmon.out && mkdir gmon.out
	lines 1 "is a directory" ./again || return 1
	rmdir gmon.out
}

build plain plain.c -Wno-unused-result
build plain_pg plain.c -Wno-unused-result -pg
build calls calls.c -pg
build again again.c -pg -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
build entry entry.c -L"$PROFIL_LIB_DIR" -lprofil \
	-Wl,-rpath,"$PROFIL_LIB_DIR"
check "not profiled: says what to do" first_try
check "not profiled: also on a pipe" piped
check "not profiled: a shell, once for all it runs" shell
check "not profiled: make, once for all it runs" make_once
check "not profiled: a program that ends by _exit" unprofiled plain \
	under ./plain _exit
check "not profiled: a forked child is silent" unprofiled plain \
	under ./plain fork
check "not profiled: LD_PRELOAD exported" exported
check "not profiled: a vforked child is silent" vforked
check "not profiled: PROFIL_DSO=0 asks for nothing" unprofiled plain \
	env PROFIL_DSO=0 LD_PRELOAD="$preload" ./plain
check "profiled, -pg: silent" silent under ./calls
check "profiled, PROFIL_DSO=1: silent" lines 1 "shared objects" \
	env PROFIL_DSO=1 PROFIL_BACKEND=libc LD_PRELOAD="$preload" ./plain
for call in call regions monitor name; do
	check "profiled, $call: silent" silent \
		env PROFIL_BACKEND=libc LD_PRELOAD="$preload" ./entry $call
done
check "a shell that ran a -pg program: silent" launcher
check "standard error closed: silent" closed
check "standard error is the program's data: left alone" data_file
check "standard error has no reader: no SIGPIPE" no_reader
check "the exit status stays" status_stays ./plain
check "the exit status stays in a sandbox" status_stays ./plain sandbox
if [ "$(id -u)" -eq 0 ]; then
	check "a set-id program: silent" secure
fi
if [ ! -e /dev/profil ]; then
	check "no device: a -pg program says who samples, and why" \
		for_samples ./calls
	check "no device: a profil() program says who samples, and why" \
		for_samples ./entry call
fi
check "PROFIL_BACKEND=libc asked for it: silent" asked_libc
check "a link is called one" in_place "is a symbolic link" ln -s target gmon.out
check "a FIFO is called one" in_place "is a FIFO" mkfifo gmon.out
check "a directory is called one" in_place "is a directory" mkdir gmon.out
check "a device is called one" in_place "is a device" mknod gmon.out c 1 3
check "too large for RLIMIT_FSIZE: the old file stays" too_large
check "too large for RLIMIT_FSIZE: no SIGXFSZ" survives
check "a second name of the file stays" links_stay
check "the mode of the file stays" mode_stays
check "messages_rights_of_the_file_stay" acl_stays
if unshare -m true 2>/dev/null && mkdir probe && unshare -m mount -t tmpfs \
		none probe 2>/dev/null; then
	check "a full disk: the old file stays" full_disk
	check "a directory that may not be written to: says so" not_as_root
	check "a file that may not be written to stays" write_protected
	check "only the file may be written to: it is" no_new_name
	check "no standard error: to syslog" daemon "2>&-"
	check "standard error is /dev/null: to syslog" daemon "2>/dev/null"
else
	skip "a full disk, syslog and other users' files" "no mounts here"
fi
if [ ! -e /dev/profil ] && build fake.so fake.c -shared -fPIC; then
	check "cause: no permission" faked 'mode 0000, owner 0 (root)' \
		FAKE_OPEN=13 FAKE_MODE=1
	check "cause: a rule of the container" faked '--device /dev/profil' \
		FAKE_OPEN=1
	check "cause: the system has no file left" faked 'fs.file-max' FAKE_OPEN=23
	check "cause: the program has no descriptor left" faked \
		'RLIMIT_NOFILE.*ulimit -n' FAKE_OPEN=24
	check "cause: no memory to open" faked 'no memory left' FAKE_OPEN=12
	check "cause: a sandbox forbids to open" faked 'seccomp.*openat' \
		FAKE_OPEN=38
	check "cause: a node without its module" faked \
		'not loaded; as root: modprobe profil' FAKE_OPEN=19
	check "cause: a sandbox forbids the ioctl" faked 'seccomp.*ioctl' \
		FAKE_INFO=1
	check "cause: another device" faked 'another device, 1:3' FAKE_INFO=25
	check "cause: too old a module" faked 'too old' FAKE_OLD=1
	check "cause: ftrace_enabled" faked 'kernel.ftrace_enabled=1' FAKE_SET=16
	check "cause: tracing given up" faked 'reboot' FAKE_SET=19
	check "cause: no memory to pin" faked 'pin' FAKE_SET=12
fi
check "PROFIL_ON_SIGNAL: KILL and STOP cannot be caught" uncatchable
check "the same sentence is not said twice" not_twice
finish
