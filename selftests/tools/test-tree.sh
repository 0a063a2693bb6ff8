#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Call paths in a report: totals, the tree, callers and callees.
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

check "paths_total_counts_a_sample_once" by_function
check "tree_chains_branches_and_ends" tree
check "tree_below_limit_folded" folded
check "tree_recursion_is_one_line" recursion
check "tree_60_deep_fits_80_columns" narrow
check "callers_each_with_its_share" callers
check "callers_of_system_call" kernel_callers
check "callers_of_main_is_outermost" outermost
check "callers_and_tree_without_a_path" without_a_path
check "callees_each_with_its_share" callees
check "callers_ambiguous_list_and_choice" ambiguous
finish
