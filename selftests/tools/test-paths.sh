#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Call paths: the head of a report, files of other tools, formats for programs, and
# wrong use.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

head_said() {
	paths
	"$profil" report >got || return 1
	cat got
	grep -qx 'call paths: 80.0 % whole; 15.0 % no tables, 5.0 % cut' got ||
		return 1
	# A few of many are neither 0 nor all.
	fixture_of few.pb.gz <<-'END'
	rate|1000
	map|/opt/prog|aabb|0x1000|0x2000|0
	sample|99998|1:0x1010:alpha;1:0x1110:main|path=whole
	sample|1|1:0x1010:alpha|path=wild
	sample|1|1:0x1010:alpha
	END
	"$profil" report -i few.pb.gz | tee got |
		grep -qx 'call paths: 99.998 % whole; 0.001 % without one, 0.001 % wild' &&
		small && ! "$profil" report | grep 'call paths'
}

wrong() {
	paths
	says 1 'has no samples in a function nothing' \
		"$profil" report --callers nothing &&
		says 1 'there is no function alpha of number 2: the highest is 1' \
			"$profil" report --callers alpha --number 2 &&
		says 2 'one at a time' \
			"$profil" report --tree --callers alpha &&
		says 2 'are by function' "$profil" report --tree --by line &&
		says 2 '0 to 100 percent' "$profil" report --tree --limit 101 &&
		says 2 'self or total' "$profil" report --sort name &&
		says 2 '--limit folds branches of --tree' \
			"$profil" report --limit 5 &&
		says 2 '-n limits rows' "$profil" report --tree -n 5 &&
		says 2 '--sort is of rows' \
			"$profil" report --callers alpha --sort total &&
		says 2 '--number counts from 1' \
			"$profil" report --callers alpha --number 0 &&
		says 2 '-n is a number' "$profil" report -n ' -1' &&
		says 2 '--csv and --json are one at a time' \
			"$profil" report --csv --json &&
		says 2 '--number chooses a function' \
			"$profil" report --tree --number 2 &&
		small && says 1 'has no call paths' "$profil" report --tree
}

for_programs() {
	paths
	"$profil" report --tree --csv >tree.csv &&
		"$profil" report --tree --json --limit 20 >tree.json &&
		"$profil" report --callers alpha --csv >callers.csv &&
		"$profil" report --callees alpha --json >callees.json || return 1
	python3 - <<-'END'
	import csv, json
	rows = list(csv.DictReader(open("tree.csv", newline="")))
	assert sum(int(r["self"]) for r in rows) == 100
	assert [r["name"] for r in rows if r["depth"] == "1"] == [
	    "main", "[path ended: no tables]", "[path ended: cut]"]
	assert [r["name"] for r in rows if r["inlined"] == "1"] == ["inner"]
	tree = json.load(open("tree.json"))
	assert tree["paths"] == {"whole": 80, "cut": 5, "no tables": 15}, tree
	assert tree["least"] == 20
	assert sum(n["self"] for n in tree["tree"]) == 100
	assert [n["name"] for n in tree["tree"] if n["depth"] < 3] == [
	    "main", "beta", "gamma", "[small]", "[small]"], tree
	rows = list(csv.DictReader(open("callers.csv", newline="")))
	assert [(r["name"], r["samples"]) for r in rows] == [
	    ("beta", "65"), ("main", "10"), ("[path ended: cut]", "5")], rows
	callees = json.load(open("callees.json"))
	assert callees["total"] == 70 and callees["self"] == 60
	assert [c["name"] for c in callees["callees"]] == ["[self]", "beta", "read"]
	END
}

# A foreign file: 10,000 frames, cycles, no stack, no address, no mapping.
foreign() {
	python3 "$here/prog/foreign.py" >f.pb && gzip -f f.pb && chmod 600 f.pb.gz
	"$profil" report -i f.pb.gz -n 0 --sort total >got || return 1
	cat got
	grep -Eqx ' +0.0 % +50.0 % +0 +deep_0' got &&
		grep -Eqx ' +50.0 % +50.0 % +500 +deep_9999' got &&
		grep -Eqx ' +15.0 % +30.0 % +150 +ping' got &&
		grep -Eqx ' +15.0 % +30.0 % +150 +pong' got &&
		grep -Eqx ' +10.0 % +10.0 % +100 +\[no object\]' got &&
		grep -Eqx ' +10.0 % +10.0 % +100 +\\x1b\[2Jevil.*' got || return 1
	for how in --tree "--tree --csv" "--tree --json" "--callers deep_5000" \
			"--callees ping" "--by line" "--by object"; do
		# shellcheck disable=SC2086 # words
		"$profil" report -i f.pb.gz $how >got || return 1
		LC_ALL=C tr -d '\n\040-\176' <got | cmp - /dev/null || return 1
	done
	"$profil" report -i f.pb.gz --tree --limit 0 | grep -Fq '[deeper]' &&
		"$profil" report -i f.pb.gz --callers deep_5000 |
		grep -Eqx ' 100.0 % +50.0 % +500 +deep_4999' &&
		status 2 "$profil" annotate -i f.pb.gz ping
}

# Another judge of the same file: each function, each path, each caller.
judged() {
	python3 "$here/prog/compiler.py" 5 3000 2>/dev/null |
		sed 's/kind=fault/kind=user/' | ./fixture j.pb.gz >/dev/null
	HOME=$work
	PPROF_TMPDIR=$work
	export HOME PPROF_TMPDIR
	for how in "top -cum" traces peek=.; do
		# shellcheck disable=SC2086 # words
		go tool pprof -nodecount=0 -nodefraction=0 -edgefraction=0 \
			-sample_index=samples -$how j.pb.gz >"pprof-${how%%[ =]*}" \
			2>/dev/null || return 1
	done
	"$profil" report -i j.pb.gz --csv >rows.csv &&
		"$profil" report -i j.pb.gz --tree --csv --limit 0 >tree.csv &&
		python3 "$here/prog/judge_paths.py" "$profil" j.pb.gz
}

check "paths_head_says_share_and_reasons" head_said
check "paths_wrong_use_message_and_status" wrong
check "paths_csv_and_json_read_by_python" for_programs
check "foreign_deep_cycles_empty_are_read" foreign
if command -v go >/dev/null; then
	check "paths_pprof_agrees_to_last_sample" judged
else
	skip "paths_pprof_agrees_to_last_sample" "golang-go is not installed"
fi
finish
