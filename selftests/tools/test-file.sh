#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The file of a profile: what is written, and what is refused.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

decoded() {
	small
	python3 "$here/prog/decode.py" profil.pb.gz >decoded || return 1
	cat decoded
	grep -qx 'type samples count' decoded &&
		grep -qx 'type cpu nanoseconds' decoded &&
		grep -qx 'period 1000000' decoded &&
		grep -qx 'comment command: ./prog --fast in.txt' decoded &&
		grep -qx 'comment unplaced: 7' decoded &&
		grep -qx 'sample 200,200000000 /lib/libx.so.1 0x7f0000001234 read program=prog pid=10 thread=prog tid=10 kind=system call syscall=read' decoded &&
		grep -qx 'sample 40,40000000 /opt/prog 0x401030 beta<alpha program=prog pid=10 thread=prog tid=10 kind=fault' decoded
}

# How a path ended is a label of its sample.
path_ends() {
	fixture_of paths.pb.gz <<-'END'
	rate|1000
	map|/opt/prog|aabb|0x401000|0x402000|0x1000
	sample|7|1:0x401010:leaf@a.c@1^in@a.c@2;1:0x401020:main|pid=10|path=whole
	sample|3|1:0x401010|pid=10|path=no tables
	END
	python3 "$here/prog/decode.py" paths.pb.gz >decoded || return 1
	cat decoded
	grep -qx 'sample 7,7000000 /opt/prog 0x401010 leaf<in;/opt/prog 0x401020 main pid=10 path=whole' decoded &&
		grep -qx 'sample 3,3000000 /opt/prog 0x401010 leaf<in pid=10 path=no tables' decoded
}

judged() {
	small
	HOME=$work PPROF_TMPDIR=$work go tool pprof -top -nodecount=50 \
		-sample_index=samples profil.pb.gz >top 2>&1
	cat top
	grep -Eq '^ +700 +70.00% .* +740 +74.00% +alpha$' top &&
		grep -Eq '^ +200 +20.00% .* read$' top &&
		grep -q 'beta.*(inline)' top
}

# of_types PERIOD TIMES TYPE UNIT VALUE...
of_types() {
	python3 "$here/prog/value_types.py" "$@" | gzip >types.pb.gz
}

# A profile of memory, locks or another counter has no shares of CPU time.
other_kinds() {
	of_types 524288 1 alloc_objects count 100 alloc_space bytes 900000000 &&
		says 2 'no samples of CPU time' "$profil" report -i types.pb.gz &&
		of_types 1 1 contentions count 7 delay nanoseconds 9000 &&
		says 2 'no samples of CPU time' "$profil" report -i types.pb.gz &&
		of_types 0 1 cpu nanoseconds 900000000 &&
		says 2 'has no period' "$profil" report -i types.pb.gz
}

# counted N TYPE UNIT VALUE...: so many samples are read.
counted() {
	counted=$1
	shift
	of_types 10000000 1 "$@" && status 0 "$profil" report -i types.pb.gz &&
		grep -q "^$counted samples" got
}

# As Go, perf's converter, Datadog and others name what they have.
other_names() {
	counted 7 samples count 7 cpu nanoseconds 70000000 &&
		counted 7 sample count 7 cpu nanoseconds 80000000 &&
		counted 7 cpu-samples count 7 cpu-time nanoseconds 70000000 &&
		counted 7 wall-time nanoseconds 9 cpu-time nanoseconds 70000000 &&
		counted 7 cycles_sample count 7 cycles_event count 7000
}

time_alone() {
	of_types 10000000 1 cpu nanoseconds 905000000 &&
		status 0 "$profil" report --csv -i types.pb.gz &&
		grep -q '^91,91,100' got &&
		status 0 "$profil" report -i types.pb.gz &&
		grep -q '^91 samples, 100 a second' got || return 1
	# Each is of less than half a period.
	of_types 10000000 50 cpu nanoseconds 4000000 &&
		status 0 "$profil" report -i types.pb.gz && grep -q '^20 samples' got
}

again() {
	small
	"$profil" report --json -n 0 >first
	small one.pb.gz
	small one.pb.gz
	"$profil" report --json -n 0 -i one.pb.gz | diff first - &&
		"$profil" report --json -n 0 -i one.pb.gz.old | diff first -
}

mode() {
	rm -f new.pb.gz
	(umask 0 && small new.pb.gz) && [ "$(stat -c %a new.pb.gz)" = 600 ]
}

# Only an ordinary user finds a directory that can't be written.
elsewhere() {
	mkdir -p closed tmp && chmod 555 closed && chmod 777 tmp
	chmod 755 . && small
	set -- ./fixture closed/x.pb.gz
	if [ "$(id -u)" = 0 ]; then
		set -- setpriv --reuid=65534 --clear-groups "$@"
	fi
	said=$(TMPDIR=$work/tmp "$@" </dev/null) || return 1
	echo "$said"
	case $said in
	"$work/tmp/profil."*.pb.gz) [ -s "$said" ] ;;
	*) false ;;
	esac
}

full() {
	# shellcheck disable=SC2016 # for the other shell
	printf 'note\tx\n' | sh -c 'ulimit -f 0; trap "" XFSZ
		./fixture full.pb.gz; echo "status $?"' 2>&1 | cat >said
	cat said
	grep -q "can't write the profile full.pb.gz" said &&
		grep -qx "status 1" said && [ -z "$(find . -name 'full.*')" ]
}

link_kept() {
	echo mine >aim
	ln -sf aim link.pb.gz
	small link.pb.gz && [ "$(cat aim)" = mine ] && [ ! -L link.pb.gz ]
}

missing() {
	says 1 'record one with profil run' "$profil" report -i no.pb.gz
}

fifo() {
	mkfifo pipe
	says 2 'not a regular file' timeout 10 "$profil" report -i pipe
}

others() {
	small other.pb.gz
	chown 65534 other.pb.gz
	says 2 'belongs to another user' "$profil" report -i other.pb.gz
}

roots() {
	small roots.pb.gz
	chmod 644 roots.pb.gz
	chmod 755 .
	setpriv --reuid=65534 --clear-groups "$profil" report -i roots.pb.gz
}

plain() {
	echo "not a profile" >plain.pb.gz
	: >empty.pb.gz
	says 2 'is empty' "$profil" report -i empty.pb.gz || return 1
	says 2 'not compressed by gzip' "$profil" report -i plain.pb.gz
}

empty() {
	gzip -c </dev/null >empty.pb.gz
	says 2 'empty, or is no profile' "$profil" report -i empty.pb.gz
}

cut() {
	small
	size=$(stat -c %s profil.pb.gz)
	while [ "$size" -gt 19 ]; do
		size=$((size - 13))
		head -c "$size" profil.pb.gz >short.pb.gz
		says 2 'short.pb.gz' "$profil" report -i short.pb.gz || return 1
	done
}

bomb() {
	head -c 300000000 /dev/zero | gzip -1 >bomb.pb.gz
	says 2 'unpacks to more than' "$profil" report -i bomb.pb.gz
}

# As many lines at one place as no view could show.
many_lines() {
	lines=$(seq 600 | sed 's/.*/f&@f.c@1/' | paste -sd^)
	printf 'rate|1000\nmap|/o|aa|0x1000|0x2000|0\nsample|1|1:0x1010:%s\n' \
		"$lines" | fixture_of many.pb.gz
	says 2 'too many lines' "$profil" report -i many.pb.gz &&
		says 2 'too many lines' "$profil" html -i many.pb.gz -o many.html &&
		says 2 'too many lines' "$profil" diff --base many.pb.gz \
			--new many.pb.gz
}

# A period of whole nanoseconds does not say each.
rates() {
	for rate in 90000 60000 99999 1000 3; do
		printf 'rate|%s\nmap|/o|aa|0x1000|0x2000|0\nsample|9|1:0x1010:f\n' \
			"$rate" | fixture_of rate.pb.gz &&
			"$profil" export --pprof-names -i rate.pb.gz -o copy.pb.gz &&
			status 0 "$profil" report -i rate.pb.gz -i copy.pb.gz &&
			grep -qx "18 samples, $rate a second of CPU time" got ||
			return 1
	done
}

# A device, or a FIFO as here, is written and not replaced.
special() {
	small
	mkfifo sink
	cat sink >copy.pb.gz & reader=$!
	printf 'rate\t1\nmap\t/o\taa\t0\t0x9000\t0\nsample\t5\t1:0x10:alpha\n' |
		timeout 10 ./fixture sink >/dev/null && wait $reader || return 1
	[ -p sink ] && [ ! -e sink.old ] && chmod 600 copy.pb.gz &&
		"$profil" report -i copy.pb.gz | grep -q ' alpha$' || return 1
	cat sink >page.html & reader=$!
	timeout 10 "$profil" html -o sink && wait $reader && [ -p sink ] &&
		grep -q '<title>' page.html
}

# Where the shell sends it, behind what is there.
standard_output() {
	small
	echo before >all
	"$profil" export --folded -o /dev/stdout >>all &&
		"$profil" export --folded -o - >wanted || return 1
	cat all
	[ "$(head -n 1 all)" = before ] && sed 1d all | diff - wanted || return 1
	"$profil" html -o /dev/fd/3 3>page.html >said &&
		head -n 1 page.html | grep -qi '^<!doctype' && [ ! -s said ] &&
		! grep -q '^/dev' page.html
}

# A trap that another user has set.
others_fifo() {
	rm -f trap.pb.gz
	mkfifo trap.pb.gz
	chown 65534 trap.pb.gz
	small trap.pb.gz
	[ -f trap.pb.gz ] && [ -p trap.pb.gz.old ] || return 1
	mkfifo aimed
	ln -s aimed link2.pb.gz
	small link2.pb.gz
	[ ! -L link2.pb.gz ] && [ -f link2.pb.gz ]
}

# Above its size a profile has no new paths, and every sample.
filled() {
	{
		printf 'rate|1000\nroom|4000\nmap|/o|aa|0x1000|0x2000|0\n'
		for at in $(seq 100); do
			printf 'sample|10|1:0x1010:leaf;1:0x%x:main|path=whole\n' \
				$((0x1100 + at))
		done
		printf 'sample|5|1:0x1010:leaf;1:0x1101:main|path=whole\n'
	} | fixture_of filled.pb.gz
	python3 "$here/prog/decode.py" filled.pb.gz | grep '^sample' >decoded
	cat decoded
	awk -F'[ ,]' '{ all += $2 }
		/path=whole/ && !/leaf;/ { bad = 1 }
		/path=no room/ { left += $2; nr++ }
		/^sample 15,.*path=whole/ { more = 1 }
		END { exit !(all == 1005 && !bad && more && nr == 1 &&
			     left > 300 && left < 900) }' decoded
}

check "file_decoded_is_what_was_put_in" decoded
check "file_too_many_lines_of_a_place_refused" many_lines
check "file_that_is_a_fifo_is_written_in_place" special
check "file_that_is_full_keeps_every_sample" filled
check "file_that_is_standard_output_goes_on" standard_output
if [ "$(id -u)" = 0 ]; then
	check "file_that_is_anothers_fifo_is_replaced" others_fifo
else
	skip "file_that_is_anothers_fifo_is_replaced" "only root makes one"
fi
check "file_path_end_is_a_label" path_ends
if command -v go >/dev/null; then
	check "file_read_by_pprof_is_the_same" judged
else
	skip "file_read_by_pprof_is_the_same" "golang-go is not installed"
fi
check "file_written_twice_keeps_the_old" again
check "file_any_umask_mode_0600" mode
check "dir_unwritable_file_in_tmpdir" elsewhere
check "disk_full_message_and_no_remains" full
check "file_is_symlink_target_kept" link_kept
check "file_missing_message_says_run" missing
check "file_is_fifo_refused_at_once" fifo
if [ "$(id -u)" = 0 ]; then
	check "file_of_other_user_refused" others
	check "file_of_root_read" roots
else
	skip "file_of_other_user_refused" "only root makes such a file"
	skip "file_of_root_read" "only root makes such a file"
fi
check "file_not_gzip_refused" plain
check "file_empty_refused" empty
check "file_cut_short_refused" cut
check "file_unpacks_too_large_refused" bomb
check "file_any_rate_stays_in_a_copy" rates
check "file_of_another_kind_is_refused" other_kinds
check "file_of_other_profilers_is_counted" other_names
check "file_with_time_alone_has_its_samples" time_alone
finish
