#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil diff: its statistics, what it tells apart and what not, its formats.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined \
	-I"$tree/tools/profil" -o statistics "$here/prog/statistics.c" \
	"$tree/tools/profil/statistics.c" -lm

# runs SEED SAMPLES SLOWER JITTER PREFIX RUNS
runs() {
	python3 "$here/prog/simulate.py" "$@" || return 1
	for lines in "$5"[0-9]*.lines; do
		./fixture "${lines%.lines}.pb.gz" <"$lines" >/dev/null
	done
	rm "$5"[0-9]*.lines
}

# twenty STATUS SAMPLES SLOWER JITTER RUNS OPTION...: in 20 of 20 pairs.
twenty() {
	twenty_status=$1
	samples=$2
	slower=$3
	jitter=$4
	nr=$5
	shift 5
	same=0
	for pair in $(seq 20); do
		rm -f a[0-9]* b[0-9]*
		runs "$pair" "$samples" 1 "$jitter" a "$nr" &&
			runs "$((pair + 1000))" "$samples" "$slower" "$jitter" b "$nr" ||
			return 1
		is=0
		"$profil" diff --base a[0-9].pb.gz --new b[0-9].pb.gz "$@" >got 2>errors || is=$?
		if [ "$is" = "$twenty_status" ]; then
			same=$((same + 1))
		else
			echo "pair $pair: $is"
			cat errors
			head -n 9 got
		fi
		[ "$is" != 1 ] || grep -q '^\*.* hot$' got || return 1
	done
	echo "$same of 20"
	[ "$same" = 20 ]
}

# Runs differ by 5 %: the samples of two of them alone seem to tell.
jitter_counts() {
	rm -f a[0-9]* b[0-9]*
	runs 5 100000 1 0.1 a 5 && runs 6 100000 1 0.1 b 5 || return 1
	status 1 "$profil" diff --threshold 1 --base a0.pb.gz --new b0.pb.gz &&
		status 0 "$profil" diff --threshold 1 --base a[0-9].pb.gz --new b[0-9].pb.gz
}

# before and after: beta is new, and alpha has less for it.
before() {
	fixture_of "$1" <<-'END'
	command|./prog
	rate|1000
	book|cpu_ns|1000000000
	map|/old/prog|aa|0x1000|0x9000|0
	sample|600|1:0x1010:alpha;1:0x1100:main
	sample|390|1:0x1020:gamma;1:0x1100:main
	sample|10|1:0x1030:delta
	END
}

after() {
	fixture_of "$1" <<-'END'
	command|./prog --new
	rate|500
	book|lost|7
	book|unplaced|2
	map|/new/prog|bb|0x1000|0x9000|0
	sample|1000|1:0x1010:alpha;1:0x1100:main
	sample|780|1:0x1020:gamma;1:0x1100:main
	sample|200|1:0x1050:be"ta;1:0x1100:main
	sample|20|1:0x1030:delta
	END
}

table_said() {
	before a.pb.gz
	after b.pb.gz
	status 1 "$profil" diff --base a.pb.gz --new b.pb.gz || return 1
	diff - got <<-'END'
	base: 1 run, 1000 samples, 1000 a second of CPU time; 1.00 s on a CPU: ./prog
	new:  1 run, 2000 samples, 500 a second of CPU time, 9 not seen: ./prog --new
	errors: one sigma of the samples alone; with several runs of each, those between runs
	2 of 3 compared have changed by more than 2 points, p below 0.01

	     base  error      new  error  change        p  object  name
	*   0.0 %   0.00   10.0 %   0.67   +10.0  <0.0001  prog    be"ta
	*  60.0 %   1.55   50.0 %   1.12   -10.0  <0.0001  prog    alpha
	    1.0 %   0.31    1.0 %   0.22    +0.0        -  prog    delta
	   39.0 %   1.54   39.0 %   1.09    +0.0   1.0000  prog    gamma
	    0.0 %   0.00    0.0 %   0.00    +0.0        -  prog    main
	END
}

several_said() {
	rm -f a[0-9]* b[0-9]*
	runs 1 100000 1 0.02 a 6 && runs 2 100000 1.3 0.02 b 5 || return 1
	status 1 "$profil" diff --json --base a[0-9].pb.gz --new b[0-9].pb.gz || return 1
	"$profil" diff --base a[0-9].pb.gz --new b[0-9].pb.gz |
		grep -qx 'errors: one sigma of the mean, by the variance between runs' ||
		return 1
	for f in a0 a1 a2 a3 a4 a5 b0 b1 b2 b3 b4; do
		"$profil" report --json -i "$f.pb.gz" >"$f.json"
	done
	# The error of a share once more, from the reports of the runs.
	python3 - <<-'END'
	import json, statistics
	d = json.load(open("got"))
	def shares(files, name):
	    out = []
	    for f in files:
	        r = json.load(open(f + ".json"))
	        out.append(100 * sum(x["self"] for x in r["rows"] if x["name"] == name) / r["samples"])
	    return out
	hot, = [r for r in d["rows"] if r["name"] == "hot"]
	for side, files in (("base", ["a%d" % i for i in range(6)]), ("new", ["b%d" % i for i in range(5)])):
	    s = shares(files, "hot")
	    assert abs(hot[side] - statistics.mean(s)) < 1e-3, (hot, s)
	    wanted = statistics.stdev(s) / len(s) ** .5
	    assert abs(hot[side + "_error"] - wanted) < 1e-3, (hot, wanted)
	assert d["base"]["samples"] == sum(r["samples"] for r in d["base"]["runs"])
	assert len(d["base"]["runs"]) == 6 and len(d["new"]["runs"]) == 5
	assert hot["changed"] and hot["p"] < 0.01 and d["changed"] == 1
	END
}

total_said() {
	before a.pb.gz
	after b.pb.gz
	status 1 "$profil" diff --total --base a.pb.gz --new b.pb.gz &&
		grep -q '^   99.0 % .* 99.0 % .* +0.0   1.0000  prog    main$' got &&
		status 0 "$profil" diff --by object --base a.pb.gz --new b.pb.gz &&
		grep -q ' 100.0 % .* prog$' got
}

csv_read() {
	before a.pb.gz
	after b.pb.gz
	status 1 "$profil" diff --csv --base a.pb.gz --new b.pb.gz || return 1
	python3 - <<-'END'
	import csv
	rows = list(csv.DictReader(open("got", newline="")))
	assert [r["name"] for r in rows if r["changed"] == "1"] == ['be"ta', "alpha"]
	assert abs(sum(float(r["change"]) for r in rows)) < 1e-3 and len(rows) == 5
	END
}

# One short run, of which the samples tell little, beside five that agree.
single_said() {
	printf 'rate|1\nmap|/o|aa|0x1000|0x2000|0\nsample|20|1:0x1010:a\nsample|180|1:0x1020:b\n' |
		fixture_of a.pb.gz
	for nr in 0 1 2 3 4; do
		printf 'rate|1\nmap|/o|aa|0x1000|0x2000|0\nsample|%s|1:0x1010:a\nsample|%s|1:0x1020:b\n' \
			$((13900 + 50 * nr)) $((86100 - 50 * nr)) |
			fixture_of b$nr.pb.gz
	done
	status 0 "$profil" diff --base a.pb.gz --new b[0-4].pb.gz &&
		grep -q '^ *10.0 %   2.4' got
}

# A change that is large but not sure, and one that is sure but not large.
small_changes() {
	printf 'rate|1\nmap|/o|aa|0x1000|0x2000|0\nsample|10|1:0x1010:a\nsample|10|1:0x1020:b\n' |
		fixture_of a.pb.gz
	printf 'rate|1\nmap|/o|aa|0x1000|0x2000|0\nsample|13|1:0x1010:a\nsample|7|1:0x1020:b\n' |
		fixture_of b.pb.gz
	status 0 "$profil" diff --base a.pb.gz --new b.pb.gz &&
		grep -qx '2 more differ by more than 2 points, which may be chance: longer or more runs tell' got ||
		return 1
	printf 'rate|1\nmap|/o|aa|0x1000|0x2000|0\nsample|500000|1:0x1010:a\nsample|500000|1:0x1020:b\n' |
		fixture_of a.pb.gz
	printf 'rate|1\nmap|/o|aa|0x1000|0x2000|0\nsample|510000|1:0x1010:a\nsample|490000|1:0x1020:b\n' |
		fixture_of b.pb.gz
	status 0 "$profil" diff --base a.pb.gz --new b.pb.gz &&
		status 1 "$profil" diff --threshold 0.5 --base a.pb.gz --new b.pb.gz
}

colors() {
	before a.pb.gz
	after b.pb.gz
	e=$(printf '\033')
	on_terminal 90 "$profil diff --base a.pb.gz --new b.pb.gz" >/dev/null
	cat -v lines
	grep -q "^$e\[1;31m\*.*be\"ta" lines && grep -q "^$e\[1;34m\*.*alpha" lines &&
		grep -q "^$e\[90m .*gamma" lines &&
		! "$profil" diff --base a.pb.gz --new b.pb.gz | grep -q "$e"
}

# A file that has lines of its own, and one that has none.
inlined() {
	hot_profile && "$profil" export --pprof-names -i hot.pb.gz -o named.pb.gz &&
		"$profil" report --no-lines -i named.pb.gz | grep ' inner$' &&
		status 0 "$profil" diff --base hot.pb.gz --new named.pb.gz &&
		! grep inner got &&
		status 0 "$profil" diff --lines --base hot.pb.gz --new named.pb.gz &&
		grep -q ' 90.0 % .* inner$' got
}

behind_dashes() {
	before -a.pb.gz
	status 0 "$profil" diff --base ./-a.pb.gz --new -- -a.pb.gz -a.pb.gz &&
		grep -q '^new: *2 runs' got &&
		says 2 'is -a.pb.gz --base or --new' "$profil" diff -- -a.pb.gz
}

faults() {
	before a.pb.gz
	says 2 'there is no missing.pb.gz' "$profil" diff --base a.pb.gz --new missing.pb.gz &&
		says 2 'profiles of both sides' "$profil" diff --base a.pb.gz &&
		says 2 'is a.pb.gz --base or --new' "$profil" diff a.pb.gz &&
		says 2 '-o is for the picture' "$profil" diff --base a.pb.gz \
			--new a.pb.gz -o x.html &&
		says 2 '-n limits rows' "$profil" diff --base a.pb.gz \
			--new a.pb.gz --html -n 5 &&
		says 2 'one at a time' "$profil" diff --base a.pb.gz \
			--new a.pb.gz --html --csv &&
		says 2 '--lines reads DWARF for functions' "$profil" diff \
			--base a.pb.gz --new a.pb.gz --lines --by object &&
		says 2 '--threshold is a number' "$profil" diff --threshold x &&
		printf 'rate|1\n' | fixture_of empty.pb.gz &&
		says 2 'no samples to compare' "$profil" diff --base a.pb.gz --new empty.pb.gz &&
		says 2 "can't be written" sh -c "$profil diff --base a.pb.gz --new a.pb.gz >/dev/full"
}

# Built again in its place: one side alone has lines and inlined functions.
rebuilt() {
	hot_profile || return 1
	mv hot.pb.gz old.pb.gz
	hot_profile -fno-ident -DOTHER || return 1
	readelf -n hot >ids
	"$profil" report -i old.pb.gz >was 2>&1
	grep -q 'not the file that ran' was || return 1
	status 0 "$profil" diff --base old.pb.gz --new hot.pb.gz &&
		grep -q ' outer$' got && ! grep -q inner got || return 1
	status 1 "$profil" diff --lines --base old.pb.gz --new hot.pb.gz &&
		grep -q '^\*.* inner$' got
}

# Files of two names have no function in common.
renamed() {
	for name in old new; do
		fixture_of $name.pb.gz <<-END
		rate|1000
		map|/opt/$name|aabb|0x401000|0x402000|0x1000
		sample|300|1:0x401010:alpha|program=$name|kind=user
		sample|100|1:0x401020:beta|program=$name|kind=user
		END
	done
	status 1 "$profil" diff --base old.pb.gz --new new.pb.gz &&
		grep 'alpha is in old alone before, and in new alone now' errors &&
		status 0 "$profil" diff --base old.pb.gz --new old.pb.gz &&
		! grep alone errors
}

picture() {
	before a.pb.gz
	after b.pb.gz
	status 1 "$profil" diff --html --base a.pb.gz --new b.pb.gz &&
		[ "$(cat got)" = profil-diff.html ] &&
		grep -q '^2 of 3 compared have changed' profil-diff.html &&
		! grep -Eqi '(src|href) *=|@import|url\(|fetch\(|https?:' profil-diff.html
}

browsed() {
	rm -f seen
	picture || return 1
	{ cat profil-diff.html; echo '<script>'; cat "$here/prog/browse_diff.js"
		echo '</script>'; } >tried.html
	timeout 120 chromium --headless --no-sandbox --disable-gpu \
		--user-data-dir="$work/chromium" --window-size=1400,900 \
		--virtual-time-budget=20000 --dump-dom "file://$work/tried.html" \
		>dom 2>browser.log || { cat browser.log; return 1; }
	python3 - <<-'END'
	import html, json
	json.dump(json.loads(html.unescape(open("dom").read().split("SEEN")[-2])),
	          open("seen", "w"))
	END
}

saw() {
	[ -s seen ] && python3 -c '
import json, sys
s = json.load(open("seen"))
print(json.dumps(s, indent=1))
assert eval(sys.argv[1]), sys.argv[1]' "$1"
}

relay "" ./statistics
check "diff_table_says_change_and_error" table_said
check "diff_error_is_that_between_runs" several_said
check "diff_single_short_run_is_not_sure" single_said
check "diff_by_total_and_by_object" total_said
check "diff_csv_is_read_by_python" csv_read
check "diff_unsure_or_small_is_no_change" small_changes
check "diff_noise_is_grey_on_a_terminal" colors
check "diff_faults_have_status_2" faults
check "diff_inlined_count_to_what_has_their_code" inlined
check "diff_files_behind_two_dashes" behind_dashes
check "diff_program_rebuilt_in_place_is_none" rebuilt
check "diff_of_files_with_other_names_is_told" renamed
check "diff_picture_is_a_page_of_its_own" picture
if command -v chromium >/dev/null; then
	check "browser_opens_the_picture_of_changes" browsed
	check "changes_table_has_what_changed_first" saw \
		's["heads"] == ["change", "base", "new", "function", "object"] and s["rows"][0] == [["+10.0", "0.0 %", "10.0 %", "be\"ta", "prog"], ""] and s["rows"][1][0][:4] == ["-10.0", "60.0 %", "50.0 %", "alpha"] and s["rows"][2][1] == "noise"'
	check "changes_red_grew_blue_shrank_grey_noise" saw \
		'(lambda g, b, n: g[0] > g[2] + 40 and b[2] > b[0] + 40 and n[0] == n[1] == n[2])(s["colors"]["be\"ta"], s["colors"]["alpha"], s["colors"]["gamma"])'
	check "changes_widths_are_of_either_side" saw \
		's["sides"] == [["Widths of base", "false"], ["Widths of new", "true"]] and s["pressed"] == ["true", "false"] and s["wide"] == ["50%", "10%"] and s["base"] == ["60%", ""]'
	check "changes_click_tells_both_shares" saw \
		's["tip"] == "function main > alpha in prog: base 60.0 %, new 50.0 %, change -10.0 points" and s["sorted"][-1] == "be\"ta" and "function alpha: 50.0 %, -10.0 points" in s["start"]'
else
	skip "browser_opens_the_picture_of_changes" "chromium is not installed"
fi
check "diff_equal_runs_not_told_apart" twenty 0 100000 1 0 1
check "diff_equal_runs_any_threshold" twenty 0 100000 1 0 1 --threshold 0
check "diff_10_percent_slower_is_told" twenty 1 1000000 1.1 0 1
check "diff_10_percent_slower_by_1_point" twenty 1 100000 1.1 0 1 --threshold 1
check "diff_runs_that_vary_not_told_apart" twenty 0 100000 1 0.1 5
check "diff_slower_among_runs_that_vary" twenty 1 100000 1.1 0.01 6 --threshold 1
check "diff_varying_runs_need_several" jitter_counts
finish
