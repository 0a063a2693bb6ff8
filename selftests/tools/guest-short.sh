#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Programs that end soon, as an ordinary user: their samples have the program's
# name, and the function's.  For a guest whose clock counts instructions; elsewhere
# it compiles what that runs.
# shellcheck disable=SC2317,SC2154,SC2034 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"
# While such a guest waits for a file, its time flies.
RECORD_TIMEOUT=20000

# many NUMBER MS: a script starts so many, one after the other.
many() {
	cat >user/many <<-END
		#!/bin/sh
		i=0
		while [ \$i -lt $1 ]; do
			$work/short $2
			i=\$((i + 1))
		done
	END
	chmod 755 user/many
	record 0 ./many
}

# named PERCENT: of the samples in user code, so many have a function.
named() {
	rows function >/dev/null || return 1
	grep '"\[' rows.csv || :
	awk -F, -v least="$1" 'NR > 1 && $6 != "\"[kernel]\"" {
			all += $1
			if ($5 ~ /^"\[/)
				without += $1
		}
		END { print without + 0, "without a function, of", all + 0
		      exit !(all > 1000 && 100 * (all - without) >= least * all) }' \
		rows.csv
}

# Each sample is of a process that has a name.
by_program() {
	rows process >processes || return 1
	awk -F, -v most="$1" '
		{ split($5, name, " ")
		  gsub(/"/, "", name[1])
		  nr[name[1]]++; sum[name[1]] += $1; all += $1 }
		END { for (n in nr) print n, nr[n], sum[n], "of", all
		      named = sum["short"] + sum["many"] + sum["profil"]
		      exit !(nr["short"] > most * 0.95 &&
			     nr["short"] <= most && named == all) }' processes
}

of_100_ms() {
	many 50 100 && balanced && by_program 50 && named 99
}

of_5_ms() {
	many 1000 5 && balanced && by_program 1000
}

build short shares.c
chmod 755 ./*

check "short_programs_of_100_ms_have_names" of_100_ms
sed 's/^/# /' check.log | tail -n 5
check "short_1000_programs_of_5_ms_have_theirs" of_5_ms
check "short_their_functions_have_names" named 95
sed 's/^/# /' check.log | tail -n 5
finish
