#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Call paths: in the file, in the report, as a tree, by callers and callees.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# wanted ARG...: a report without its head, to be the same as standard input.
wanted() {
	cat >wanted
	paths
	"$profil" report "$@" >whole 2>errors || { cat errors; return 1; }
	sed '1,/^$/d' whole >got
	diff wanted got
}

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

by_function() {
	wanted --sort total <<-'END'
	    self    total   samples  object     function
	   0.0 %   80.0 %         0  prog       main
	  10.0 %   75.0 %        10  prog       beta
	  60.0 %   70.0 %        60  prog       alpha
	  20.0 %   20.0 %        20  prog       inner
	   0.0 %   20.0 %         0  prog       gamma
	  10.0 %   10.0 %        10  [kernel]   [system call] read
	   0.0 %   10.0 %         0  libx.so.1  read
	END
}

tree() {
	wanted --tree <<-'END'
	   total     self  function
	  80.0 %    0.0 %  main  [prog]
	  50.0 %    0.0 %  |-beta
	  40.0 %   40.0 %  | |-alpha
	  10.0 %   10.0 %  | `-beta
	  20.0 %    0.0 %  |-gamma
	  20.0 %   20.0 %  | inner (inlined)
	  10.0 %    0.0 %  `-alpha
	  10.0 %    0.0 %    beta
	  10.0 %    0.0 %    alpha
	  10.0 %    0.0 %    read  [libx.so.1]
	  10.0 %   10.0 %    [system call] read  [kernel]

	  15.0 %    0.0 %  [path ended: no tables]
	  15.0 %    0.0 %  beta  [prog]
	  15.0 %   15.0 %  alpha

	   5.0 %    0.0 %  [path ended: cut]
	   5.0 %    5.0 %  alpha  [prog]
	END
}

folded() {
	wanted --tree --limit 20 <<-'END'
	   total     self  function
	  80.0 %    0.0 %  main  [prog]
	  50.0 %    0.0 %  |-beta
	  40.0 %   40.0 %  | alpha
	  20.0 %    0.0 %  `-gamma
	  20.0 %   20.0 %    inner (inlined)

	  20.0 %           [2 more below the limit]
	4 branches below 20 % are folded: --limit 0 shows all
	END
}

# The same function in a row is one line, with how often it is there.
recursion() {
	fixture_of r.pb.gz <<-'END'
	rate|100
	map|/opt/prog|aa|0x1000|0x2000|0
	sample|10|1:0x1010:fib;1:0x1020:fib;1:0x1020:fib;1:0x1020:fib;1:0x1030:main|path=whole
	sample|30|1:0x1020:fib;1:0x1020:fib;1:0x1030:main|path=whole
	END
	"$profil" report --tree -i r.pb.gz | tee got |
		grep -qx ' 100.0 %  100.0 %  fib x 4' &&
		"$profil" report --callers fib -i r.pb.gz | tee got &&
		grep -Eqx ' 100.0 %  100.0 % +40  prog    main' got &&
		grep -Eqx ' 100.0 %  100.0 % +40  prog    fib' got &&
		grep -qx 'fib in /opt/prog: 100.0 % of all samples, 100.0 % in itself' got
}

callers() {
	wanted --callers alpha <<-'END'
	   of it   of all   samples  object  caller
	  92.9 %   65.0 %        65  prog    beta
	  14.3 %   10.0 %        10  prog    main
	   7.1 %    5.0 %         5          [path ended: cut]
	END
}

callees() {
	wanted --callees alpha <<-'END'
	   of it   of all   samples  object     callee
	  85.7 %   60.0 %        60             [self]
	  14.3 %   10.0 %        10  prog       beta
	  14.3 %   10.0 %        10  libx.so.1  read
	END
}

kernel_callers() {
	wanted --callers '[system call] read' <<-'END' || return 1
	   of it   of all   samples  object     caller
	 100.0 %   10.0 %        10  libx.so.1  read
	END
	# Its name is enough where no function has it.
	fixture_of call.pb.gz <<-'END'
	rate|100
	map|/opt/prog|aa|0x1000|0x2000|0
	sample|60|1:0x1010:syscall;1:0x1110:main|kind=system call|syscall=futex|path=whole
	END
	wanted -i call.pb.gz --callers futex <<-'END'
	   of it   of all   samples  object  caller
	 100.0 %  100.0 %        60  prog    syscall
	END
}

# Where other paths say how they ended, a plain pc is one whose callers are not
# known; a file of another tool says nothing.
without_a_path() {
	fixture_of plain.pb.gz <<-'END'
	rate|100
	map|/opt/prog|aa|0x1000|0x2000|0
	sample|60|1:0x1010:alpha;1:0x1110:main|path=whole
	sample|30|1:0x1010:alpha
	sample|10|1:0x1110:main
	END
	cat >folded <<-'END'
	[no path];alpha 30
	[no path];main 10
	main;alpha 60
	END
	wanted -i plain.pb.gz --callers alpha <<-'END' &&
	   of it   of all   samples  object  caller
	  66.7 %   60.0 %        60  prog    main
	  33.3 %   30.0 %        30          [no path]
	END
	wanted -i plain.pb.gz --callers main <<-'END' &&
	   of it   of all   samples  caller
	  85.7 %   60.0 %        60  [outermost]
	  14.3 %   10.0 %        10  [no path]
	END
	wanted -i plain.pb.gz --tree <<-'END' &&
	   total     self  function
	  60.0 %    0.0 %  main  [prog]
	  60.0 %   60.0 %  alpha

	  40.0 %    0.0 %  [no path]
	  30.0 %   30.0 %  |-alpha  [prog]
	  10.0 %   10.0 %  `-main  [prog]
	END
	"$profil" export --folded -i plain.pb.gz | diff - folded &&
		"$profil" export --callgrind -i plain.pb.gz |
		grep -Eqx 'c?fn=\([0-9]+\) \[no path\]' || return 1
	fixture_of other.pb.gz <<-'END'
	rate|100
	map|/opt/prog|aa|0x1000|0x2000|0
	sample|60|1:0x1010:alpha;1:0x1110:main
	sample|30|1:0x1010:alpha
	END
	wanted -i other.pb.gz --callers alpha <<-'END'
	   of it   of all   samples  object  caller
	  66.7 %   66.7 %        60  prog    main
	  33.3 %   33.3 %        30          [outermost]
	END
}

outermost() {
	wanted --callers main <<-'END'
	   of it   of all   samples  caller
	 100.0 %   80.0 %        80  [outermost]
	END
}

ambiguous() {
	fixture_of a.pb.gz <<-'END'
	rate|100
	time|1700000000
	map|/opt/prog|aa|0x1000|0x2000|0
	map|/lib/libx.so.1|bb|0x3000|0x4000|0
	sample|10|1:0x1010:get(int);1:0x1030:main|path=whole
	sample|30|2:0x3020:get(char);1:0x1030:main|path=whole
	sample|5|2:0x3020:get(char);1:0x1040:other|path=whole
	END
	status 1 "$profil" report -i a.pb.gz --callers get && [ ! -s got ] &&
		grep -qx '  1  libx.so.1:get(char)  (35 samples)' errors &&
		grep -qx '  2  prog:get(int)  (10 samples)' errors || return 1
	for which in prog:get /opt/prog:get 'get(int)' 'prog:get(int)'; do
		"$profil" report -i a.pb.gz --callers "$which" | tee got |
			grep -Eqx ' 100.0 % +22.2 % +10  prog    main' || return 1
	done
	"$profil" report -i a.pb.gz --callers get --number 2 | cmp - got &&
		"$profil" report -i a.pb.gz --callers get --number 1 |
		grep -Eqx ' +14.3 % +11.1 % +5  prog    other'
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

# A path of 60 functions, each with a branch, on a terminal of 80 columns.
narrow() {
	python3 - >lines <<-'END'
	print("rate\t1\nmap\t/opt/prog\taa\t0x1000\t0x90000\t0")
	for i in range(60):
	    path = ["1:%#x:function_with_a_long_name_%d" % (0x1000 + j, j)
	            for j in range(i + 1)]
	    print("sample\t10\t" + ";".join(["1:0x2000:leaf"] + path[::-1]) +
	          "\tpath=whole")
	END
	./fixture narrow.pb.gz <lines >/dev/null
	on_terminal 80 "$profil report --tree -i narrow.pb.gz" >text || return 1
	cat text
	[ "$(awk 'length > 80' text | wc -l)" = 0 ] &&
		[ "$(grep -c leaf text)" = 60 ] &&
		grep -q 'function_with_a_long_name_59$' text
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

# scale COMMAND ARG...: it takes less than 96 MiB, and some seconds at most.
scale() {
	[ -s compiler.pb.gz ] || python3 "$here/prog/compiler.py" 2>nodes |
		./fixture compiler.pb.gz >/dev/null || return 1
	cat nodes
	[ "$(sed 's/ .*//' nodes)" -ge 160000 ] &&
		timeout 60 python3 - "$profil" "$@" <<-'END'
	import resource, subprocess, sys
	subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
	used = resource.getrusage(resource.RUSAGE_CHILDREN)
	print(used.ru_utime, "s", used.ru_maxrss, "KiB")
	assert used.ru_maxrss < 96 << 10
	END
}

large_page() {
	scale html -i compiler.pb.gz -o compiler.html || return 1
	size=$(stat -c %s compiler.html)
	echo "$size bytes"
	[ "$size" -lt 614400 ]
}

# 4,001 paths of one sample and one of two, each of 1,000 functions: more nodes
# than a tree has.
large_tree() {
	[ ! -s large.pb.gz ] || return 0
	awk 'BEGIN {
		printf "rate\t1000\nmap\t/opt/prog\taa\t0x1000\t0x20000\t0\n"
		for (i = 0; i < 999; i++)
			below = below "1:0x1000" (i ? ";" : ":deep;")
		for (i = 0; i < 4002; i++)
			printf "sample\t%d\t%s1:%d:top_%d\tpath=whole\n",
				i ? 1 : 2, below, 8192 + i, i
	}' | ./fixture large.pb.gz >/dev/null
}

large_table() {
	large_tree && status 0 "$profil" report -i large.pb.gz --tree \
		--limit 0 >/dev/null && tail -n 1 got | tee last &&
		grep -qx 'what has fewer than 2 samples is folded, because the tree has more than 4000000 lines' last
}

large_csv() {
	large_tree && status 0 "$profil" report -i large.pb.gz --tree --csv \
		--limit 0 >/dev/null && cat errors &&
		grep -qx 'profil: what has fewer than 2 samples is folded, because the tree has more than 4000000 lines' errors
}

# The path of two samples is whole, and the others are one line.
large_kept() {
	large_tree && "$profil" report -i large.pb.gz --tree --csv --limit 0 \
		>got 2>errors || return 1
	head -n 2 got
	[ "$(wc -l <got)" = 1002 ] && grep -q '^1000,2,2,' got &&
		grep -q '^1,4001,4001,.*"\[small\]"' got
}

check "paths_head_says_share_and_reasons" head_said
check "paths_total_counts_a_sample_once" by_function
check "tree_chains_branches_and_ends" tree
check "tree_below_limit_folded" folded
check "tree_too_large_says_what_is_folded" large_table
check "tree_too_large_csv_says_it" large_csv
check "tree_too_large_keeps_what_it_can" large_kept
check "tree_recursion_is_one_line" recursion
check "tree_60_deep_fits_80_columns" narrow
check "callers_each_with_its_share" callers
check "callers_of_system_call" kernel_callers
check "callers_of_main_is_outermost" outermost
check "callers_and_tree_without_a_path" without_a_path
check "callees_each_with_its_share" callees
check "callers_ambiguous_list_and_choice" ambiguous
check "paths_wrong_use_message_and_status" wrong
check "paths_csv_and_json_read_by_python" for_programs
check "foreign_deep_cycles_empty_are_read" foreign
if command -v go >/dev/null; then
	check "paths_pprof_agrees_to_last_sample" judged
else
	skip "paths_pprof_agrees_to_last_sample" "golang-go is not installed"
fi
check "large_report_below_96_mib" scale report -i compiler.pb.gz
check "large_tree_below_96_mib" scale report --tree -i compiler.pb.gz
check "large_callers_below_96_mib" scale report --callers walk_alloc_7 \
	-i compiler.pb.gz
check "large_page_below_600_kib" large_page
finish
