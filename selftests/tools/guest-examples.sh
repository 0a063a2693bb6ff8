#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The examples of profil(1): each command does what the page shows, typed as it
# stands there by an ordinary user.  For the guest; elsewhere it compiles what
# that runs.
#
# A row of a table may be another each time, and a number too; every other line
# of an example has to come.
# shellcheck disable=SC2016,SC2317,SC2154 # text of commands; tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/guest.sh"

page=$tree/man/profil.1

# Writes commands.N and output.N for each example of the page.
take_examples() {
	awk '
		/^\.SH / { inside = /EXAMPLES/ }
		/^\.EE/ { example = 0 }
		inside && example {
			gsub(/\\-/, "-"); gsub(/\\\(ga/, "`")
			gsub(/\\e/, "\\"); gsub(/\\&/, ""); gsub(/\\\(aq/, "\047")
			command = sub(/^\$ \\fB/, "") && sub(/\\fP$/, "")
			print >((command ? "commands." : "output.") nr)
		}
		inside && /^\.EX/ { example = 1; nr++ }
		END { print nr }' "$page"
}

# What two runs have in common of these lines.  A run loses samples where the
# machine stands still.
shape() {
	sed -e 's/^\(base: .*\|new: .*\), [0-9]* not seen;/\1;/' \
		-e "s,$work/user/,/home/user/,g" -e 's/^\(recorded: [^,]*\),.*/\1/' \
		-e 's/^\(call paths: .* whole\).*/\1/' -e 's/^ *[0-9.]* % *[0-9]* *[0-9.]* s .*/ROW/' \
		-e 's/^ *[0-9.]* %\( *[0-9]\{1,\}  \)/\1/' \
		-e 's/^[* ] *[0-9.]* %.*/ROW/' -e 's/^[0-9]* of [0-9]* compared .*/COMPARED/' \
		-e 's/^[0-9]*,[0-9].*/CSV ROW/' \
		-e 's/[0-9][0-9.,]*/N/g' -e 's/[[:blank:]]\{1,\}/ /g' -e 's/^ //; s/ $//' |
		grep . | sort -u
}

# example N COMMAND...: with what it wants before it, and after it.
example() {
	number=$1
	before=${2:-:}
	after=${3:-:}
	touch "output.$number"
	{
		echo "$before"
		cat "commands.$number"
		echo "$after"
	} >user/typed
	user env "PATH=$work:$PATH" COLUMNS=80 timeout 200 sh -e typed >got 2>errors || {
		cat got errors
		return 1
	}
	shape <"output.$number" >wanted
	shape <got >shown
	comm -23 wanted shown >missing
	cat got errors
	sed 's/^/missing: /' missing
	[ ! -s missing ]
}

# Five rows of functions and no more, that with the most samples first.
five_rows() {
	awk '$2 == "%" && $4 == "%" {
			print
			nr++
			bad += nr > 1 && $5 > last
			last = $5
		}
		END { exit !(nr == 5 && !bad && last > 0) }' got
}

first_example() {
	example 1 && five_rows
}

changed_main() {
	example 11 && grep '^\*.* main$' got
}

# A page without one of them would have no test of it.
page_has() {
	[ "$examples" -eq "$1" ] || return 1
	for number in $(seq "$1"); do
		[ -s "commands.$number" ] || return 1
	done
}

examples=$(take_examples)
cp "$progs/words.pl" user
cp "$progs/count.c" user
mkdir user/new
# Nine rounds more in the hash.
sed 's/h = \(h \* 33 + .*word\)++;/for (int i = 0; i < 10; i++) h = \1, word += i == 9;/' \
	"$progs/count.c" >user/new/count.c
(cd user && gcc -O2 -g -o count count.c && gcc -O2 -g -o new/count new/count.c)
if [ -z "$unable" ]; then
	yes 'the quick brown fox jumps over the lazy dog and runs away' |
		head -n 60000 >user/text
	for _ in $(seq 20); do cat user/text; done >user/longer
	cp /bin/sh user/nginx
	chown -R 1000:1000 user
fi
printf '#!/bin/sh\nwhile [ ! -e stop ]; do :; done\n' >user/server
printf '#!/bin/sh\nsleep 1\n' >user/load
chmod 755 user/server user/load

check "the page has eleven examples" page_has 11
check "a program is run, and its functions are reported" first_example
check "by object, for another program" example 2
check "source and instructions" example 3
check "what called what" example 4
check "what called a function" example 5
check "a part of a program" example 6 'rm -f profil.pb.gz stop' \
	'touch stop; wait; profil report --csv |
		awk -F, "{ n += \$1 } END { exit !(n > 20) }"'
check "a picture" example 7
check "tables of what a server does" example 8 \
	"./nginx -c 'while :; do :; done' & sleep 1" \
	'kill $!; [ "$(grep -c " samples in " tables)" -eq 2 ]'
check "two seconds of a server" example 9 \
	"rm -f profil.pb.gz; ./nginx -c 'while :; do :; done' & sleep 1" \
	'kill $!; profil report --csv |
		awk -F, "{ n += \$1 } END { exit !(n > 20) }"'
check "threads, and how long they waited" example 10
check "what a change did" changed_main
finish
