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

in_browser() {
	small
	"$profil" html -o page.html >/dev/null || return 1
	{ cat page.html; echo '<script>'; cat "$here/prog/browse.js"
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

check "html_written_head_says_what_is_missed" written
check "html_500_functions_below_300_kib" large
check "html_page_loads_nothing" alone
if command -v chromium >/dev/null; then
	check "browser_opens_the_page" in_browser
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
else
	skip "picture_in_a_browser" "chromium is not installed"
fi
finish
