#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil check: what it advises where something is missing; and profil itself.
# shellcheck disable=SC2317,SC2154,SC2016 # passed by name, and to other shells
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# with_dev SCRIPT COMMAND ARG...: in a /dev that the script filled.
with_dev() {
	dev_script=$1
	shift
	status_is=0
	unshare -m sh -euc 'mount -t tmpfs -o mode=755 tmpfs /dev
		: >/dev/null; chmod 666 /dev/null; script=$1; shift
		eval "$script"; exec "$@"' sh "$dev_script" "$@" >got 2>&1 ||
		status_is=$?
	cat got
}

absent() {
	with_dev : env -u container "$profil" check
	[ "$status_is" = 1 ] && grep -q '^missing  /dev/profil' got &&
		{ grep -q 'sudo modprobe profil' got ||
			grep -q 'device /dev/profil' got; }
}

container() {
	with_dev : env container=podman "$profil" check
	[ "$status_is" = 1 ] && grep -q 'container with --device /dev/profil' got
}

forbidden() {
	with_dev ': >/dev/profil; chmod 600 /dev/profil' \
		setpriv --reuid=65534 --clear-groups "$profil" check
	[ "$status_is" = 1 ] &&
		grep -q '^refused  /dev/profil .*its mode is 0600' got &&
		grep -q 'rules.d' got
}

strange() {
	with_dev ': >/dev/profil' "$profil" check
	[ "$status_is" = 1 ] && grep -q 'install the module that belongs' got
}

unloaded() {
	with_dev 'mknod /dev/profil c 10 250 && chmod 666 /dev/profil' \
		"$profil" check
	[ "$status_is" = 1 ] && grep -Eq '^(missing|refused) +/dev/profil' got
}

no_objdump() {
	status_is=0
	PATH=$work "$profil" check >got || status_is=$?
	cat got
	grep -q 'install binutils' got
}

commands() {
	for command in annotate check html report; do
		"$profil" "$command" --help >got 2>errors || return 1
		grep -q "^usage: profil $command" got && [ ! -s errors ] &&
			"$profil" --help | grep -q "^  $command " || return 1
	done
	status 2 "$profil" && grep -q '^usage: profil COMMAND' errors &&
		says 2 'there is no command nonsense' "$profil" nonsense &&
		status 2 "$profil" report --nonsense &&
		grep -q '^profil: unrecognized option' errors &&
		"$profil" help | grep -q '^usage: profil COMMAND' &&
		"$profil" --version | grep -qx "profil $(cat "$tree/VERSION")"
}

if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	check "check_no_device_says_install_and_load" absent
	check "check_in_container_says_device_option" container
	check "check_no_permission_says_mode_and_rule" forbidden
	check "check_other_file_is_not_the_device" strange
	check "check_module_not_loaded_says_so" unloaded
else
	skip "check_device_missing_or_closed" "only root makes another /dev"
fi
check "check_no_objdump_says_binutils" no_objdump
check "profil_commands_have_help_and_version" commands
finish
