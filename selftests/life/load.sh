#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil(4), "LIMITS": the module does not load where it could not count, and
# the log says why.  For the guest.
set -eu
busybox=/run/vm/busybox
switch=/proc/sys/kernel/ftrace_enabled
number=0

result() {
	number=$((number + 1))
	echo "$1 $number - $2"
}

check() {
	name=$1
	shift
	if "$@"; then
		result ok "$name"
	else
		result "not ok" "$name"
	fi
}

refused() {
	! $busybox insmod "$PROFIL_KO" 2>said && grep -q "busy" said &&
		[ ! -e /dev/profil ] &&
		dmesg | tail -n 1 | grep -q 'profil: .*kernel.ftrace_enabled=0'
}

ledgers() {
	dmesg | grep -c 'profil: ledger'
}

# A balanced ledger is news only for those that ask: insmod's parameters.
unload_adds() {
	adds=$1
	before=$(ledgers)
	shift
	$busybox insmod "$PROFIL_KO" "$@" && $busybox rmmod profil &&
		[ "$(ledgers)" = $((before + adds)) ]
}

armed() {
	grep -q '^update_process_times' /sys/kernel/tracing/enabled_functions
}

# Without a profile they go out a second later.  1: they are out; 2: an error.
hooks_after_load() {
	$busybox insmod "$PROFIL_KO" "$@" || return 2
	sleep 3
	out=0
	armed || out=1
	$busybox rmmod profil && ! armed || return 2
	return $out
}

hooks_go() {
	out=0
	hooks_after_load keep_hooks=0 || out=$?
	[ $out = 1 ]
}

echo "TAP version 13"
echo 1..6
cd "$(mktemp -d)"
$busybox rmmod profil
if echo 0 >$switch; then
	check "with tracing switched off it does not load, and says why" refused
else
	result ok "# SKIP this kernel's tracing can't be switched off"
fi 2>/dev/null
echo 1 >$switch
check "balanced_ledger_not_in_log" unload_adds 0
check "balanced_ledger_in_log_on_demand" unload_adds 1 ledger=1
check "hooks_go_out_without_a_profile" hooks_go
check "hooks_stay_in_with_keep_hooks" hooks_after_load keep_hooks=1
check "it loads again afterwards" $busybox insmod "$PROFIL_KO" ledger=1
