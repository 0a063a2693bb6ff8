#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The unit that records all the time: what systemd says of it, and its script with
# a recorder that makes a profile at once.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# Without the command that it starts there is a complaint.
unit_is_valid() {
	unit=$work/unit/profil@.service
	mkdir -p unit prefix/lib/profil
	cp "$tree/packaging/profil-always" prefix/lib/profil
	sed "s,@PREFIX@,$work/prefix," "$tree/packaging/profil@.service.in" \
		>"$unit"
	cp "$unit" "unit/profil@a.service"
	SYSTEMD_UNIT_PATH=$work/unit: systemd-analyze verify --man=no \
		"$work/unit/profil@a.service" >said 2>&1 || { cat said; return 1; }
	cat said
	! grep 'profil@' said
}

# A second is 0 s here, and each profile has its number in its command.
recorder() {
	mkdir -p bin
	cat >bin/profil <<-END
		#!/bin/sh
		echo "\$*" >>"$work/calls"
		case \$1 in
		attach)
			[ ! -e "$work/none" ] || exit 1
			[ "\$(grep -c attach "$work/calls")" -lt $1 ] ||
				kill -TERM \$PPID
			: >x.new.pb.gz ;;
		push) exec "$profil" "\$@" ;;
		esac
	END
	# Each at a second of its own.
	cat >bin/date <<-END
		#!/bin/sh
		nr=\$(grep -c attach "$work/calls")
		printf '20260101T0000%02dZ\n' "\$nr"
	END
	chmod 755 bin/profil bin/date
	rm -rf calls state none
	: >calls
	mkdir state
}

always() {
	(cd state && PATH=$work/bin:$PATH exec timeout 60 \
		"$tree/packaging/profil-always" x)
}

kept() {
	(cd state && echo *)
}

keeps_the_newest() {
	recorder 6
	PROFIL_KEEP=3 always || return 1
	cat calls
	[ "$(kept)" = "x.20260101T000004Z.pb.gz x.20260101T000005Z.pb.gz x.20260101T000006Z.pb.gz" ] &&
		[ "$(grep -c push calls)" -eq 0 ] &&
		[ "$(sort -u calls)" = "attach -q -r 50 -d 60 -o x.new.pb.gz x" ]
}

# The last one too, when the service is stopped.
sends_each() {
	recorder 3
	PROFIL_PUSH_URL=http://127.0.0.1:1 PROFIL_RATE=99 PROFIL_SECONDS=7 \
		always 2>errors || return 1
	cat calls errors
	[ "$(grep -c '^push -i x.2026.*--name x http://127.0.0.1:1$' calls)" -eq 3 ] &&
		grep -q 'attach -q -r 99 -d 7 ' calls && [ "$(kept | wc -w)" = 3 ]
}

# A program that does not run yet is waited for.
waits_for_it() {
	recorder 2
	: >none
	{ sleep 1; rm -f none; } &
	always && [ "$(grep -c attach calls)" -ge 2 ] &&
		[ "$(grep -c attach calls)" -lt 9 ] && kept | grep -q x.2026
}

if command -v systemd-analyze >/dev/null; then
	check "always_unit_is_valid_for_systemd" unit_is_valid
else
	skip "always_unit_is_valid_for_systemd" "there is no systemd-analyze"
fi
check "always_keeps_the_newest_profiles" keeps_the_newest
check "always_sends_each_profile_once" sends_each
check "always_waits_for_a_program_that_is_not_there" waits_for_it
finish
