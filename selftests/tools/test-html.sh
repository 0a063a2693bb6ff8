#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil html: the page, and what a reader does with it in a browser.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

written() {
	small
	[ "$("$profil" html | tail -n 1)" = profil.html ] || return 1
	"$profil" html -o - | cmp - profil.html &&
		grep -q 'command: ./prog --fast in.txt' profil.html &&
		grep -q '^recorded: ' profil.html && ! grep -q ' ago$' profil.html &&
		grep -q 'not seen: 7 unplaced samples' profil.html
}

# 500 functions in 6 objects, with inlined ones: below 300 KiB.
large() {
	python3 - >lines <<-'END'
	import random
	random.seed(4)
	print("rate\t1000")
	for o in range(6):
	    print("map\t/opt/object%d\t%040x\t%#x\t%#x\t0" % (
	        o, o + 1, 0x1000000 * (o + 1), 0x1000000 * (o + 2)))
	for i in range(500):
	    for j in range(8):
	        o = i % 6
	        print("sample\t%d\t%d:%#x:inlined_%d@/src/include/file_%d.h@%d"
	              "^std::vector<thing_%d>::function_%d(int, char const*)"
	              "@/src/deep/folder/file_%d.cc@%d\tkind=user" % (
	                  random.randrange(1, 900), o + 1,
	                  0x1000000 * (o + 1) + i * 512 + j * 16,
	                  random.randrange(300), i % 50, random.randrange(999),
	                  i % 90, i, i % 80, random.randrange(4000)))
	END
	./fixture big.pb.gz <lines >/dev/null
	"$profil" html -i big.pb.gz -o big.html || return 1
	size=$(stat -c %s big.html)
	echo "$size bytes"
	[ "$size" -lt 307200 ]
}

# sources_of FILE [OPTION]: what profil html copies, as JSON in the file "sources".
sources_of() {
	"$profil" html -i "$@" -o sources.html >/dev/null && python3 - <<-'END'
	import base64, gzip, json, re
	data = re.search(r'id="data">([^<]*)', open("sources.html").read())[1]
	json.dump(json.loads(gzip.decompress(base64.b64decode(data)))["sources"],
	          open("sources", "w"))
	END
}

# with_sources FILE: 90 % in hot() of a.c, which has three lines with heat.
with_sources() {
	seq -f 'line %g of <a>' 200 >a.c
	printf 'first\n\tcold();\nlast\n' >b.c
	fixture_of "$1" <<-END
	rate|1000
	map|/opt/prog|aabb|0x1000|0x9000|0
	sample|60|1:0x1010:hot@$work/a.c@20
	sample|20|1:0x1020:hot@$work/a.c@24
	sample|10|1:0x1030:hot@$work/a.c@190
	sample|10|1:0x1040:cold@$work/b.c@2
	END
}

sources_limits() {
	with_sources lines.pb.gz
	sources_of lines.pb.gz && python3 - <<-'END'
	import json
	hot, cold = json.load(open("sources"))
	assert hot["name"] == "hot" and hot["samples"] == 90, hot
	assert hot["first"] == 17 and len(hot["lines"]) == 11, hot
	assert hot["lines"][3] == "line 20 of <a>" and not hot["newer"], hot
	assert hot["self"][3] == 60 and hot["self"][7] == 20, hot
	assert cold["lines"] == ["first", "        cold();", "last"], cold
	END
}

# Lines that the file has itself lead to sources as well.
sources_left_out() {
	with_sources lines.pb.gz
	sources_of lines.pb.gz && [ "$(cat sources)" != "[]" ] &&
		sources_of lines.pb.gz --no-lines && [ "$(cat sources)" = "[]" ]
}

# 500 functions of 100 lines; those above 0.5 % have a source of 60 lines.
sources_large() {
	python3 - "$work" >lines <<-'END'
	import random, sys
	random.seed(5)
	words = "if while return struct unsigned int value next list size ( ) { } = + ; -> [ ]".split()
	print("rate\t1000\nmap\t/opt/prog\taa\t0x1000\t0x900000\t0")
	for i in range(500):
	    name = "%s/large_%d.c" % (sys.argv[1], i)
	    with open(name, "w") as f:
	        for j in range(100):
	            print("\t" * random.randrange(4) + " ".join(
	                random.choices(words, k=random.randrange(12))), file=f)
	    for j in range(40):
	        print("sample\t%d\t1:%#x:function_%d@%s@%d" % (
	            100 if i < 180 else 1, 0x1000 + i * 512 + j, i, name,
	            1 + random.randrange(100)))
	END
	./fixture large.pb.gz <lines >/dev/null && sources_of large.pb.gz ||
		return 1
	size=$(stat -c %s sources.html)
	echo "$size bytes"
	python3 -c 'import json
s = json.load(open("sources"))
print(len(s), max(len(f["lines"]) for f in s))
assert 30 < len(s) <= 100 and max(len(f["lines"]) for f in s) <= 60' &&
		[ "$size" -lt 307200 ]
}

# What a hostile program calls its source is copied to no page.
sources_foreign() {
	echo secret >id_rsa
	mkdir -p .hidden
	echo secret >.hidden/a.c
	mkfifo -m 666 pipe.c
	echo secret >notes.txt
	ln -s id_rsa key.c
	ln -s .hidden below
	for name in id_rsa .hidden/a.c pipe.c notes.txt key.c below/a.c; do
		printf 'rate|1000\nmap|/opt/prog|aa|0x1000|0x9000|0\nsample|9|1:0x1010:f@%s@1\n' \
			"$work/$name" | fixture_of foreign.pb.gz
		timeout 20 "$profil" html -i foreign.pb.gz -o f.html >/dev/null &&
			sources_of foreign.pb.gz && [ "$(cat sources)" = "[]" ] ||
			return 1
	done
}

# A page that takes a while, and more than one buffer.
wide() {
	awk 'BEGIN {
		print "rate|1000\nmap|/opt/prog|aa|0x1000|0xffffff|0"
		for (i = 0; i < 5000; i++) {
			printf "sample|10|"
			for (j = 0; j < 12; j++)
				printf "%s1:0x%x:function_%d_%d", j ? ";" : "",
					4096 + i * 100 + j, i, j
			print ""
		}
	}' | fixture_of wide.pb.gz
}

# The reason is that of the write that failed, and nothing is left of the page.
unwritten() {
	wide
	says 2 "can't write /dev/full: No space" \
		"$profil" html -i wide.pb.gz -o /dev/full &&
		says 2 "can't write page.html: File too large" \
			sh -c "ulimit -f 1; $profil html -i wide.pb.gz -o page.html" &&
		[ -z "$(find . -name 'page.html*')" ]
}

# It is stopped soon after its temporary file is there.
ended() {
	wide
	for signal in HUP INT TERM; do
		python3 - "$profil" "$signal" <<-'END' || return 1
			import glob, signal, subprocess, sys
			number = getattr(signal, "SIG" + sys.argv[2])
			stopped = 0
			for i in range(10):
			    tool = subprocess.Popen([sys.argv[1], "html", "-i", "wide.pb.gz",
			                             "-o", "ended.html"],
			                            stdout=subprocess.DEVNULL)
			    while tool.poll() is None and not glob.glob("ended.html.*"):
			        pass
			    tool.send_signal(number)
			    stopped += tool.wait() == -number
			    assert not glob.glob("ended.html.*")
			print(stopped, "of 10 stopped")
			assert stopped
		END
	done
}

# A build directory's path to its source goes over "..".
sources_of_build() {
	mkdir -p build
	echo 'int f;' >c.c
	ln -sf c.c linked.c
	for path in build/../c.c ./c.c linked.c; do
		printf 'rate|1000\nmap|/opt/prog|aa|0x1000|0x9000|0\nsample|9|1:0x1010:f@%s@1\n' \
			"$work/$path" | fixture_of build.pb.gz
		sources_of build.pb.gz && grep -q 'int f' sources || return 1
	done
}

# A line that no file has, in a function with one that is there.
sources_end() {
	echo 'int f;' >c.c
	printf 'rate|1000\nmap|/opt/prog|aa|0x1000|0x9000|0\nsample|3|1:0x1010:f@%s@1\nsample|9|1:0x1020:f@%s@2147483647\n' \
		"$work/c.c" "$work/c.c" | fixture_of end.pb.gz
	timeout 10 "$profil" html -i end.pb.gz -o end.html >/dev/null
}

sources_newer() {
	echo 'time|1700000000' >lines
	printf 'rate|1000\nmap|/opt/prog|aa|0x1000|0x9000|0\nsample|9|1:0x1010:f@%s@1\n' \
		"$work/b.c" >>lines
	fixture_of newer.pb.gz <lines
	sources_of newer.pb.gz && grep -q '"newer": true' sources
}

# Nothing that is loaded, and a policy that forbids it.
alone() {
	small
	"$profil" html >/dev/null || return 1
	! grep -Eqi '(src|href) *=|@import|url\(|fetch\(|https?:' profil.html &&
		grep -q "default-src 'none'" profil.html
}

browse() {
	timeout 120 chromium --headless --no-sandbox --disable-gpu \
		--user-data-dir="$work/chromium" --window-size=1400,900 \
		--virtual-time-budget=20000 --dump-dom "file://$work/$1" \
		2>browser.log
}

# in_browser PROFILE SCRIPT: what the script saw goes to "seen".
in_browser() {
	rm -f seen
	"$1" profil.pb.gz
	"$profil" html -o page.html >/dev/null || return 1
	{ cat page.html; echo '<script>'; cat "$here/prog/$2"
		echo '</script>'; } >tried.html
	browse tried.html >dom || { cat browser.log; return 1; }
	python3 - <<-'END'
	import html, json
	text = open("dom").read()
	parts = text.split("SEEN")
	json.dump(json.loads(html.unescape(parts[-2])), open("seen", "w"))
	END
}

saw() {
	[ -s seen ] && python3 -c '
import json, sys
s = json.load(open("seen"))
print(json.dumps(s, indent=1))
assert eval(sys.argv[1]), sys.argv[1]' "$1"
}

hostile() {
	printf 'command\t</title><script>document.title="owned"</script>@DATA@\n' >lines
	printf 'rate\t1\nmap\t/o</script><img src=x onerror=alert(1)>\tz\t0\t0x9000\t0\n' >>lines
	printf 'sample\t5\t1:0x10:</script><script>document.title="owned"</script>@x@1\n' >>lines
	./fixture h.pb.gz <lines >/dev/null
	"$profil" html -i h.pb.gz -o h.html >/dev/null && browse h.html >dom || return 1
	grep -c '<title>' dom
	! grep -q '<title>owned' dom && ! grep -q '<img' dom &&
		grep -q '<button type="button"' dom
}

# 100 nodes of 0.001 % each beside one of 99.9 %.
folded() {
	{
		printf 'rate\t1\nmap\t/opt/prog\t\t0x1000\t0x9000\t0\n'
		printf 'sample\t99900\t1:0x1010:alpha;1:0x1110:main\tpath=whole\n'
		for i in $(seq 100); do
			printf 'sample\t1\t1:0x%x:f%d;1:0x1110:main\tpath=whole\n' \
				"$((0x2000 + i))" "$i"
		done
	} | ./fixture s.pb.gz >/dev/null
	"$profil" html -i s.pb.gz -o s.html >/dev/null
	{ cat s.html; cat <<-'END'
		<script>addEventListener("load", () => setTimeout(() => {
		const search = document.getElementById("search");
		search.value = "main";
		search.dispatchEvent(new Event("input"));
		document.title = tree.nodes.map(n => n.frame.name + n.samples) +
			document.getElementById("said").textContent;
		search.value = "f99";
		search.dispatchEvent(new Event("input"));
		document.title += document.getElementById("said").textContent;
		}, 2000));</script>
		END
	} >folded.html
	browse folded.html | grep '<title>' | tee title |
		grep -F 'all100000,main100000,alpha99900,[small]100"main": 100.0 % of all samples"f99": 0.0 % of all samples, and 0.1 % are folded in [small]'
}

deep() {
	python3 "$here/prog/foreign.py" | gzip >deep.pb.gz
	chmod 600 deep.pb.gz
	"$profil" html -i deep.pb.gz -o deep.html >/dev/null &&
		browse deep.html >dom || return 1
	[ "$(grep -o '<button type="button" tabindex' dom | wc -l)" -gt 1500 ] &&
		grep -Fq 'title="deeper [deeper]: 50.0 %"' dom &&
		grep -Fq 'title="function ping: 15.0 %"' dom
}

check "html_written_head_says_what_is_missed" written
check "html_500_functions_below_300_kib" large
check "html_page_loads_nothing" alone
check "html_unwritten_says_why_no_remains" unwritten
check "html_that_is_stopped_leaves_nothing" ended
check "sources_have_the_lines_with_heat" sources_limits
check "sources_without_lines_are_left_out" sources_left_out
check "sources_of_500_functions_below_300_kib" sources_large
check "sources_foreign_file_is_not_copied" sources_foreign
check "sources_of_a_build_directory_are_copied" sources_of_build
check "sources_newer_than_profile_is_told" sources_newer
check "sources_end_where_the_file_does" sources_end
if command -v chromium >/dev/null; then
	check "browser_opens_the_page" in_browser small browse.js
	check "picture_has_kernel_object_function_line" saw \
		'["function alpha: 70.0 %", "object /opt/prog: 70.0 %", "object [kernel]: 24.0 %"] == sorted(t for t in s["start"] if "70.0" in t or t.startswith("object [k"))'
	check "picture_click_zooms_and_comes_back" saw \
		's["wide"] == "100%" and not any("[kernel]" in t for t in s["zoomed"]) and s["tip"].startswith("function /opt/prog > alpha: 700 samples, 70.0 % of all") and s["back"] == len(s["start"])'
	check "picture_row_click_zooms_to_function" saw \
		'"[system call] read" in s["by_row"]'
	check "picture_search_marks_and_adds_up" saw \
		's["hits"] == ["function [system call] read: 20.0 %"] and "20.0 %" in s["found"] and s["filtered"] == ["[system call] read", "read"]'
	check "picture_escape_ends_the_search" saw \
		's["cleared"] == len(s["table"]) == 6'
	check "picture_headings_sort_both_ways" saw \
		's["by_name"] == s["by_name_again"][::-1] != s["table"] and s["by_total"] == sorted(s["by_total"], key=lambda t: -float(t[:-2]))'
	check "picture_button_changes_dark_mode" saw \
		's["light"] == "rgb(255, 255, 255)" and s["dark"] == "rgb(21, 23, 26)"'
	check "picture_hostile_names_stay_text" hostile
	check "browser_opens_the_sources" in_browser with_sources \
		browse_sources.js
	check "sources_first_is_open_with_its_lines" saw \
		's["open"] == [True, False] and s["start"][0].startswith("90.0 %  hot") and s["lines"][3] == ["66.7 %", "20", "line 20 of <a>"] and s["lines"][0] == ["", "17", "line 17 of <a>"]'
	check "sources_click_opens_another" saw \
		's["closed"] == [] and s["opened"][1] == ["100.0 %", "2", "        cold();"]'
	check "sources_heat_has_its_colour" saw \
		's["heat"][3] != s["heat"][7] != "" and s["heat"][0] == ""'
	check "sources_search_and_reset" saw \
		'len(s["found"]) == 1 and "cold" in s["found"][0] and s["reset"] == 2'
	check "browser_opens_the_flame_graph" in_browser paths browse_paths.js
	check "flame_head_says_what_was_not_whole" saw \
		'"call paths: 80.0 % whole; 15.0 % no tables, 5.0 % cut" in s["head"]'
	check "flame_has_callers_over_callees" saw \
		's["calls"][:4] == [" all: 100.0 %", "function main: 80.0 %", "function beta: 50.0 %", "function alpha: 40.0 %"] and s["tops"][:4] == [0, 20, 40, 60] and sum(t.startswith("end [path ended") for t in s["calls"]) == 2'
	check "flame_inlined_function_is_inside" saw \
		's["inlined"] == ["inlined inner: 20.0 %"]'
	check "flame_click_zooms_and_tells" saw \
		's["zoomed"] == ["function main: 80.0 %", " all: 100.0 %", "function gamma: 20.0 %", "inlined inner: 20.0 %"] and s["tip"] == "function main > gamma in /opt/prog: 20 samples, 20.0 % of all"'
	check "flame_search_counts_recursion_once" saw \
		's["found"] == "\"alpha\": 70.0 % of all samples" and s["hits"] == 5'
	check "flame_arrows_move_the_focus" saw \
		'[t.split(":")[0] for t in s["focus"]] == [" all", "function main", "end [path ended", "function main", "function beta", "function main"] and s["kept"] == "function main: 80.0 %" and not any("cut" in t for t in s["entered"])'
	check "flame_inverted_has_callers_below" saw \
		's["callers"][:4] == [" all: 100.0 %", "function alpha: 60.0 %", "function beta: 55.0 %", "function main: 40.0 %"]'
	check "flame_by_process_has_their_shares" saw \
		'"program prog: 100.0 %" in s["processes"] and {"process prog (10): 80.0 %", "process prog (11): 20.0 %"} <= set(s["processes"]) and len(s["views"]) == 4'
	check "flame_objects_have_what_ran" saw \
		'{"object /opt/prog: 90.0 %", "object [kernel]: 10.0 %", "function alpha: 60.0 %"} <= set(s["places"]) and s["pressed"] == "Objects"'
	check "flame_small_is_folded_and_told" folded
	check "flame_deep_foreign_profile_is_drawn" deep
else
	skip "picture_in_a_browser" "chromium is not installed"
fi
finish
