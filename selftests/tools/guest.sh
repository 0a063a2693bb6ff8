# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034,SC2154 # sourced after lib.sh, before tests
# What the tests of recording share: the command as an ordinary user has it,
# test programs, and sums over a report.  For the guest; elsewhere it compiles.

progs=$tree/selftests/tools/prog
tools=${PROFIL_TOOLS_DIR:-$PROFIL_LIB_DIR.tools}
make -s -C "$tree/tools/profil" O="$tools" CC=gcc WERROR=1 all >&2
chmod 755 "$work"
cp "$tools/profil" "$work/profil"
mkdir "$work/user"
if [ -e /dev/profil ]; then
	chown 1000:1000 "$work/user"
else
	unable="there is no /dev/profil here"
	# Recordings that end in an error take long, and may leave a program.
	check() {
		: >"$work/check.log"
		skip "$1" "$unable"
	}
fi
profil=$work/profil

# user COMMAND ARG...: as an ordinary user, in a directory of its own.
user() {
	(cd "$work/user" && exec setpriv --reuid 1000 --regid 1000 \
		--clear-groups --inh-caps=-all env -u PROFIL_LIB_DIR \
		HOME="$work/user" "$@")
}

# start UID PROGRAM ARG...: in the background, once it is the program; sets
# started, and said has what it says.
start() {
	start_id=$1
	shift
	(cd "$work/user" && exec setpriv --reuid "$start_id" \
		--regid "$start_id" --clear-groups "$@") >"$work/said" 2>&1 &
	started=$!
	start_nr=0
	# The kernel keeps 15 bytes of the name.
	while [ "$(cat /proc/$started/comm)" != \
			"$(basename "$1" | cut -c1-15)" ] &&
			[ $start_nr -lt 300 ]; do
		sleep 0.1
		start_nr=$((start_nr + 1))
	done
}

# with_children NR: what was started has so many.
with_children() {
	start_nr=0
	while [ "$(pgrep -c -P "$started")" -lt "$1" ] && [ $start_nr -lt 300 ]; do
		sleep 0.1
		start_nr=$((start_nr + 1))
	done
}

stop() {
	kill -KILL "$started" 2>/dev/null || :
	wait "$started" 2>/dev/null || :
}

# ends_later: what was started is killed some seconds after profil has the device,
# which takes long on a slow machine.  It ends with stop, if profil failed before.
ends_later() {
	timeout 90 sh -c "until ls -l /proc/[0-9]*/fd | grep -q ' /dev/profil\$'; do
			kill -0 $started || exit
			sleep 0.1
		done
		sleep 4
		kill -KILL $started" 2>/dev/null &
}

# record STATUS ARG...: profil run ends with the status; errors has what it says.
record() {
	record_wanted=$1
	shift
	rm -f "$work"/user/profil.pb.gz*
	record_is=0
	user timeout "${RECORD_TIMEOUT:-100}" "$profil" run "$@" >got 2>errors || record_is=$?
	cat got errors
	[ "$record_is" -eq "$record_wanted" ]
}

# rows BY: the rows of the profile, without the heading.
rows() {
	user "$profil" report --no-lines --csv --by "$1" >rows.csv || return 1
	sed 1d rows.csv
}

# samples NAME: how many were in the function, from its rows.
samples() {
	awk -F, -v name="\"$1\"" '$5 == name { sum += $2 }
		END { print sum + 0 }' rows.csv
}

# share NAME PERCENT: at least so much of all was there.
share() {
	awk -F, -v name="\"$1\"" -v least="$2" 'NR > 1 {
			all += $1
			if ($5 == name) sum += $2
		}
		END { print name, sum + 0, "of", all
		      exit !(all && 100 * sum >= least * all) }' rows.csv
}

# books: what the kernel counted, a name and a number in each line.
books() {
	user "$profil" report --no-lines --json >json || return 1
	tr ',{}' '\n' <json | sed -n 's/^"\([a-z_]*\)":\([0-9]*\)$/\1 \2/p' \
		>books
}

# counts_three_to_one HEAVY LIGHT LOST: within 4 sigma, because it is asked a
# dozen times in each run, of 100 samples at least.  What was lost while the
# machine stood still may have been of either.
counts_three_to_one() {
	awk -v h="$1" -v l="$2" -v lost="$3" 'BEGIN {
		print h, "to", l, "and lost", lost
		n = h + l + lost
		off = h - 0.75 * n
		off = off < -lost ? off + lost : off < 0 ? 0 : off
		exit !(h + l >= 100 && off * off < 16 * n * 0.75 * 0.25) }'
}

# three_to_one HEAVY LIGHT: these functions of the profile.
three_to_one() {
	rows function >/dev/null && books || return 1
	counts_three_to_one "$(samples "$1")" "$(samples "$2")" \
		"$(awk '$1 == "lost" { print $2 }' books)"
}

# The rows add up to what the kernel counted, and so do its books.
balanced() {
	rows function >/dev/null && books || return 1
	awk 'NR == FNR { book[$1] = $2; next }
	     FNR > 1 { split($0, field, ","); sum += field[1] }
	     END { print sum, "of", book["counted"], "of", book["seen"]
		   all = book["counted"] + book["unplaced"]
		   all += book["refused"] + book["lost"]
		   exit !(sum > 0 && sum == book["counted"] &&
			  all == book["seen"]) }' books rows.csv
}
