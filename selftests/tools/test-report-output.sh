#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil report: its output on a terminal, in a pipe, as JSON and CSV, and errors.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

json() {
	small
	"$profil" report --json >json || return 1
	python3 - <<-'END'
	import json
	p = json.load(open("json"))
	assert p["command"] == "./prog --fast in.txt", p
	assert p["books"]["unplaced"] == 7 and p["samples"] == 1000
	assert p["rows"][0]["name"] == "alpha" and p["rows"][0]["self"] == 700
	assert sum(r["self"] for r in p["rows"]) == 1000
	END
}

csv() {
	small
	"$profil" report --csv --by line >csv || return 1
	python3 - <<-'END'
	import csv
	rows = list(csv.DictReader(open("csv", newline="")))
	assert sum(int(r["self"]) for r in rows) == 1000
	assert [r for r in rows if r["file"] == "beta.c" and r["line"] == "7"]
	END
}

# Names that would move the cursor, change a title, break a line or a format.
hostile() {
	printf 'command\t\033]0;owned\007x\nrate\t1\n' >lines
	printf 'map\t/o\033[2J"\tz\t0\t0x9000\t0\n' >>lines
	printf 'sample\t5\t1:0x10:ev\033[31mil\302\233\342\200\256",\\</script>\377\n' >>lines
	./fixture h.pb.gz <lines >/dev/null
	for how in --by=function --by=object --csv --json; do
		"$profil" report "$how" -i h.pb.gz >got 2>&1 || return 1
		cat -v got
		# Nothing but printable ASCII and ends of lines.
		[ -z "$(LC_ALL=C tr -d '\n\040-\176' <got)" ] || return 1
	done
	python3 -c 'import json; json.load(open("got"))' &&
		! grep -q '</script>' got
}

width() {
	printf 'rate\t1\nmap\t/opt/a\t\t0\t0x9000\t0\nsample\t5\t1:0x10:%0200d\n' 7 |
		./fixture w.pb.gz >/dev/null
	on_terminal 60 "$profil report -i w.pb.gz" >text || return 1
	cat text
	sed '1,/^$/d' text >rows
	[ "$(awk 'length > 60' rows | wc -l)" = 0 ] && grep -q '###' rows &&
		grep -q '0\.\.\.$' rows &&
		"$profil" report -i w.pb.gz | grep -q 0007
}

colors() {
	small
	e=$(printf '\033')
	on_terminal 80 "$profil report" >/dev/null && grep -q "$e\[1;31m" lines &&
		NO_COLOR=1 on_terminal 80 "$profil report" >/dev/null &&
		! grep -q "$e" lines &&
		on_terminal 80 "$profil report --color=never" >/dev/null &&
		! grep -q "$e" lines &&
		! "$profil" report | grep -q "$e" &&
		"$profil" report --color=always | grep -q "$e\[1;31m"
}

wrong() {
	small
	says 2 '^profil: --by is function' "$profil" report --by color &&
		says 2 '--by object looks no names up' \
			"$profil" report --by object --debug-dir . &&
		says 2 'is a number, not many' "$profil" report -n many &&
		says 2 'is a number, not 99' "$profil" report -n 99999999999999999999 &&
		says 2 'name the profile with -i' "$profil" report x.pb.gz &&
		says 2 'did you mean profil run ./fixture' "$profil" ./fixture &&
		status 2 "$profil" report --nonsense
}

unwritten() {
	small
	says 2 "can't be written" sh -c "$profil report >/dev/full" &&
		says 2 "can't be written" sh -c "$profil report --help >/dev/full" &&
		says 2 "can't be written" sh -c "$profil -V >/dev/full"
}

# A name too wide for its column keeps the function's own.
long_names() {
	tr '|' '\t' <<-'END' | ./fixture long.pb.gz >/dev/null
	rate|1
	map|/o|aa|0x1000|0x9000|0
	sample|9|1:0x1010:std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_assign(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)
	sample|8|1:0x1020:std::map<std::vector<int>, long, std::less<int> >::operator<(std::map<std::vector<int>, long> const&) const
	sample|7|1:0x1030:(anonymous namespace)::a_function_of_a_file_with_a_name_that_is_long::inside_of_it()
	sample|6|1:0x1040:<alloc::vec::Vec<alloc::string::String> as core::iter::FromIterator<alloc::string::String> >::from_iter
	sample|5|1:0x1050:short_name(std::vector<int>)
	sample|4|1:0x1060:main.(*Tree).a_method_of_go_that_has_a_long_name_too_and_does_not_fit_in_a_line
	END
	on_terminal 80 "$profil report -i long.pb.gz --color=never" >/dev/null
	cat lines
	grep -q ' \.\.\.::_M_assign(\.\.\.)$' lines &&
		grep -q ' \.\.\.::operator<(\.\.\.) const$' lines &&
		grep -q ' \.\.\.::inside_of_it()$' lines &&
		grep -q ' \.\.\.::from_iter$' lines &&
		grep -q ' short_name(std::vector<int>)$' lines &&
		grep -q ' main\.(\*Tree)\.a_method_of_go.*\.\.\.$' lines &&
		! awk 'length > 80' lines | grep . || return 1
	on_terminal 110 "$profil report -i long.pb.gz --color=never" >/dev/null
	cat lines
	grep -q ' std::__cxx11::basic_string<\.\.\.>::_M_assign(\.\.\.)$' lines &&
		grep -q ' std::map<\.\.\.>::operator<(\.\.\.) const$' lines &&
		grep -q ' \.\.\.::inside_of_it()$' lines
}

check "report_json_is_read_by_python" json
check "report_csv_is_read_by_python" csv
check "report_hostile_names_printed_safely" hostile
check "report_terminal_width_kept_pipe_whole" width
check "report_colors_by_terminal_and_option" colors
check "report_wrong_use_status_2" wrong
check "report_output_full_status_2" unwritten
check "report_long_names_lose_their_middle" long_names
finish
