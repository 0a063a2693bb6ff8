#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil export: what the readers of each format show is what a report says.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl

# Names that a format may trip over, in two objects, with recursion.
awkward() {
	{
		printf 'command\t./prog "a b" \033[2J\nrate\t1000\n'
		printf 'map\t/opt/my prog\taabb\t0x1000\t0x2000\t0x1000\n'
		printf 'map\t/lib/libx.so.1\tccdd\t0x9000\t0xa000\t0x2000\n'
		printf 'sample\t31\t1:0x1010:operator new(unsigned long, "x") 5;1:0x1110:main\tkind=user\tpath=whole\n'
		printf 'sample\t7\t1:0x1020:ev\033[31mil\302\233</script>\\%%;2:0x9010:(anonymous)::f\302\265;1:0x1110:main\tkind=user\tpath=whole\n'
		printf 'sample\t11\t2:0x9020:(anonymous)::f\302\265;2:0x9020:(anonymous)::f\302\265;1:0x1110:main\tkind=user\tpath=wild\n'
		printf 'sample\t5\t2:0x9300;1:0x1110:main\tkind=system call\tsyscall=read\tpath=cut\n'
	} | ./fixture "$1" >/dev/null
}

# Paths without inlining, which callgrind counts at the outer function.
plain_paths() {
	fixture_of "$1" <<-'END'
	command|./prog --paths
	rate|1000
	map|/opt/prog|aabb|0x1000|0x2000|0x1000
	map|/lib/libx.so.1|ccdd|0x9000|0xa000|0x2000
	sample|40|1:0x1010:alpha@/src/a.c@7;1:0x1110:beta@/src/b.c@3;1:0x1210:main@/src/a.c@90|path=whole
	sample|10|1:0x1110:beta@/src/b.c@3;1:0x1120:beta@/src/b.c@4;1:0x1210:main@/src/a.c@90|path=whole
	sample|10|2:0x9010:read;1:0x1020:alpha@/src/a.c@8;1:0x1130:beta@/src/b.c@5;1:0x1030:alpha@/src/a.c@9;1:0x1210:main@/src/a.c@90|kind=system call|syscall=read|path=whole
	sample|15|1:0x1010:alpha@/src/a.c@7;1:0x1110:beta@/src/b.c@3|path=no tables
	sample|5|1:0x1010:alpha@/src/a.c@7|path=cut
	END
}

# Pcs alone: no paths, some in system calls.
plain_pcs() {
	fixture_of "$1" <<-'END'
	rate|1000
	map|/opt/prog|aabb|0x1000|0x2000|0x1000
	sample|40|1:0x1010:alpha@/src/a.c@7|kind=user
	sample|3|1:0x1012:alpha@/src/a.c@8|kind=system call|syscall=read
	sample|9|1:0x1500|kind=user
	END
}

# exported PROFILE OPTION...: the export, and the report as CSV beside it.
exported() {
	"$1" profil.pb.gz
	shift
	"$profil" report --no-lines --csv >report.csv &&
		"$profil" export --no-lines "$@" -o out || return 1
	head -n 60 out | cat -v
}

judged() {
	python3 "$here/prog/export.py" "$1" report.csv "$2"
}

folded_said() {
	exported paths --folded >/dev/null && diff - out <<-'END'
	[path ended: cut];alpha 5
	[path ended: no tables];beta;alpha 15
	main;alpha;beta;alpha;read;[system call] read 10
	main;beta;alpha 40
	main;beta;beta 10
	main;gamma;inner 20
	END
}

# A path as deep as another tool may write it keeps its leaf.
folded_deep() {
	printf 'rate\t1\nmap\t/opt/a\taa\t0x1000\t0x90000\t0\nsample\t5\t1:0x1010:leaf%s\n' \
		"$(seq -f ';1:%g:deep' 5000 1 6500)" | tr -d '\n' | sed 's/map/\n&/;s/sample/\n&/' |
		./fixture deep.pb.gz >/dev/null
	"$profil" export --folded -i deep.pb.gz >out &&
		grep -q '^deep;deep;.*;leaf 5$' out &&
		[ "$(tr ';' '\n' <out | wc -l)" = 1502 ]
}

folded_semicolon() {
	printf 'rate\t1\nmap\t/opt/a\taa\t0x1000\t0x9000\t0\nsample\t5\t1:0x1010:x\n' |
		./fixture s.pb.gz >/dev/null
	# The fixture splits at ";", so that the name is put in behind it.
	python3 - <<-'END'
	import gzip
	data = gzip.open("s.pb.gz").read()
	assert data.count(b"2\x01x") == 1
	with gzip.open("s.pb.gz", "w") as f:
	    f.write(data.replace(b"2\x01x", b"2\x03a;b"))
	END
	"$profil" export --folded -i s.pb.gz >out
	cat out
	[ "$(cat out)" = "a:b 5" ]
}

# Two objects have functions of one name.
folded_alike() {
	fixture_of alike.pb.gz <<-'END'
	rate|1
	map|/opt/a|aa|0x1000|0x9000|0
	map|/opt/b|bb|0x1000|0x9000|0
	sample|3|1:0x1010:same|kind=user
	sample|4|1:0x1020:other|kind=user
	sample|5|2:0x1010:same|kind=user
	END
	"$profil" export --folded -i alike.pb.gz >out &&
		diff - out <<-'END'
	other 4
	same 8
	END
}

# 20,000 paths of 100 functions, of which the texts are 240 MB.
folded_large() {
	{
		printf 'rate\t1\nmap\t/opt/a\taa\t0x1000\t0x90000\t0\n'
		awk 'BEGIN {
			name = sprintf("%120s", "")
			gsub(" ", "n", name)
			srand(1)
			for (i = 0; i < 20000; i++) {
				printf "sample\t1\t"
				for (j = 0; j < 100; j++) {
					at = int(rand() * 1000)
					printf "%s1:%d:%s%d", j ? ";" : "", \
						8192 + 16 * at, name, at
				}
				print ""
			}
		}'
	} | ./fixture large.pb.gz >/dev/null
	prlimit --as=$((128 << 20)) \
		"$profil" export --folded -i large.pb.gz >out &&
		[ "$(wc -l <out)" = 20000 ]
}

folded_judged() {
	exported "$1" --folded && judged folded out
}

flame_judged() {
	exported "$1" --folded && perl "$flamegraph" out >flame.svg &&
		judged flame flame.svg
}

callgrind_judged() {
	exported "$1" --callgrind || return 1
	grep -qx 'desc: Calls: the samples in what was called, not a number of calls' out ||
		return 1
	callgrind_annotate --threshold=100 --auto=no out >self.txt 2>warnings
	callgrind_annotate --threshold=100 --auto=no --inclusive=yes \
		out >total.txt 2>>warnings
	cat self.txt total.txt warnings
	[ ! -s warnings ] && grep -q "PROGRAM TOTALS" self.txt &&
		judged callgrind self.txt && judged inclusive total.txt
}

# What is inlined is at its own line of its own file, in the outer function.
callgrind_inlined() {
	exported paths --callgrind || return 1
	grep -Ex -A 2 'fi=\([0-9]+\) x.h' out >inside &&
		sed -n 2p inside | grep -qx '3 20' &&
		sed -n 3p inside | grep -Eqx 'fe=\([0-9]+\)' || return 1
	callgrind_annotate --threshold=100 --auto=no out >self.txt
	cat self.txt
	grep -Eq '^ *20 \(20.00%\)  x.h:gamma' self.txt
}

# A program with inlining that was compiled: lines as report --by line has them.
callgrind_lines() {
	hot_profile || return 1
	"$profil" report -i hot.pb.gz --by line --csv >lines.csv &&
		"$profil" export -i hot.pb.gz --callgrind -o out &&
		callgrind_annotate --auto=yes out "$here/prog/hot.c" >auto.txt ||
		return 1
	cat out auto.txt lines.csv
	python3 - <<-'END'
	import csv, re
	from collections import Counter
	wanted, got = Counter(), Counter()
	for row in csv.DictReader(open("lines.csv", newline="")):
	    if int(row["self"]):
	        wanted[int(row["line"])] += int(row["self"])
	fl = None
	for line in open("out"):
	    if line.startswith(("fl=", "fi=", "fe=")):
	        fl = line
	    m = re.match(r"(\d+) (\d+)$", line)
	    if m:
	        got[int(m[1])] += int(m[2])
	assert wanted == got and sum(got.values()) == 100, (wanted, got)
	END
	grep -Eq '^90 \(90.00%\) ' auto.txt
}

speedscope_judged() {
	exported "$1" --speedscope && judged speedscope out
}

# fetched: speedscope as npm has it, kept for the next run.
fetched() {
	speedscope=${XDG_CACHE_HOME:-$HOME/.cache}/profil/speedscope
	if [ ! -e "$speedscope/package" ] && command -v npm >/dev/null; then
		mkdir -p "$speedscope"
		timeout 120 npm pack --silent --pack-destination "$speedscope" \
			speedscope@1.25.0 >/dev/null 2>&1 || return 1
		tar xzf "$speedscope/speedscope-1.25.0.tgz" -C "$speedscope"
	fi
	[ -e "$speedscope/package/dist/release/file-format-schema.json" ]
}

speedscope_valid() {
	exported "$1" --speedscope && /usr/bin/python3 - \
		"$speedscope/package/dist/release/file-format-schema.json" <<-'END'
	import json, jsonschema, sys
	schema = json.load(open(sys.argv[1]))
	jsonschema.validate(json.load(open("out")), schema)
	END
}

# The bundle's own table, of which it draws the rows that are in sight.
speedscope_shown() {
	exported "$1" --speedscope || return 1
	cp -r "$speedscope"/package/dist/release shown
	{
		printf 'speedscope.loadFileFromBase64("out", "'
		base64 -w 0 out
		cat <<-'END'
		");
		let clicked = false, seen = false;
		setInterval(() => {
			const rows = [...document.querySelectorAll("tr")].map(tr =>
				[...tr.children].map(td => td.textContent)).filter(r => r.length === 3);
			const pre = document.createElement("pre");

			for (const e of document.querySelectorAll("div"))
				if (!clicked && e.childElementCount < 3 && /Sandwich$/.test(e.textContent)) {
					clicked = true;
					e.click();
				}
			/* The list of rows is as long as it was last seen to be. */
			for (const e of document.querySelectorAll("div"))
				e.dispatchEvent(new Event("scroll"));
			window.dispatchEvent(new Event("resize"));
			if (seen || rows.length < 2)
				return;
			seen = true;
			pre.textContent = "SEEN" + JSON.stringify(rows.slice(1)) + "SEEN";
			document.body.append(pre);
		}, 3000);
		END
	} >shown/profile.js
	timeout 120 chromium --headless --no-sandbox --use-gl=angle \
		--use-angle=swiftshader --enable-unsafe-swiftshader \
		--allow-file-access-from-files --user-data-dir="$work/chromium" \
		--window-size=1400,1000 --virtual-time-budget=60000 --dump-dom \
		"file://$work/shown/index.html#localProfilePath=${work#/}/shown/profile.js" \
		>dom 2>browser.log || { tail -n 5 browser.log; return 1; }
	grep -q SEEN dom || { tail -c 2000 dom; return 1; }
	rm -rf shown
	judged sandwich dom
}

# object NAME: with functions of which samples are taken, by their symbols.
object() {
	printf '%s\n' '#define F(n) __attribute__((noinline)) int n(int a)' \
		'F(first) { return a * 3 + 1; }' 'F(second) { return first(a) ^ 5; }' \
		'F(third) { return second(a) + first(a - 1); }' \
		'int main(int n, char **v) { (void)v; return third(n); }' >"$1.c"
	gcc -g -O1 -falign-functions=16 "$2" -Wl,--build-id=sha1 -o "$1" \
		"$1.c" || return 1
	id=$(readelf -n "$1" | sed -n 's/ *Build ID: //p')
	set -- "$1" "$(readelf -lW "$1" |
		awk '$1 == "LOAD" && / R E / { print $2, $3 }')"
	# shellcheck disable=SC2086 # offset and address
	nm "$1" | awk -v path="$work/$1" -v id="$id" -v at="$2" '
		BEGIN {
			split(at, part, " ")
			print "rate|100"
			print "map|" path "|" id "|0x10000000|0x10100000|" part[1]
		}
		$3 ~ /^(first|second|third)$/ { print part[1], part[2], $1, $3 }' |
		python3 -c '
import sys
for line in sys.stdin:
    words = line.split()
    if len(words) != 4:
        print(line, end="")
        continue
    offset, vaddr, address = (int(w, 16) for w in words[:3])
    pc = 0x10000000 + address - vaddr
    counts = {"first": 900, "second": 70, "third": 0x30000}
    print("sample|%d|1:%#x:%s" % (counts[words[3]], pc, words[3]))
    print("sample|3|1:%#x:%s|kind=system call|syscall=read" % (pc + 1, words[3]))' \
		>lines
	fixture_of object.pb.gz <lines
}

# gprof_seconds OBJECT: "name centiseconds", of its flat profile.
gprof_seconds() {
	gprof -b -p "$1" out >gprof.txt || return 1
	cat gprof.txt >&2
	awk '$NF ~ /^(first|second|third)$/ { printf "%s %.0f\n", $NF, 100 * $3 }' \
		gprof.txt | sort
}

# third has four times what a counter holds, less one: the scale is 4.
gmon_scaled() {
	object obj "$1" && says 0 'one count stands for 4 samples' \
		"$profil" export --gmon ./obj -i object.pb.gz -o out || return 1
	gprof_seconds obj >seconds
	cat seconds
	# Of each function a count at most goes to the next, which is 0.04 s.
	awk -v first=903 -v second=73 -v third=196611 '
		{ d = $2 - ($1 == "first" ? first : $1 == "second" ? second : third)
		  bad += d > 4 || d < -4 }
		END { exit NR != 3 || bad }' seconds || return 1
	"$PROFIL_LIB_DIR/prof" obj out >prof.txt && cat prof.txt &&
		grep -Eq '^ *99\.[0-9]* +1966.* third' prof.txt
}

gmon_judged() {
	object obj "$1" && sed 's/sample|196608/sample|4321/' lines |
		fixture_of object.pb.gz
	status 0 "$profil" export --gmon "$work/obj" -i object.pb.gz -o out &&
		[ ! -s errors ] && gprof_seconds obj >seconds
	cat seconds
	printf 'first 903\nsecond 73\nthird 4324\n' | diff - seconds || return 1
	"$PROFIL_LIB_DIR/prof" obj out >prof.txt && cat prof.txt &&
		grep -q '^.* 43\.24 .*third$' prof.txt
}

gmon_refused() {
	small
	says 1 'no samples in an object nothing' "$profil" export --gmon nothing &&
		says 2 'addresses of a gmon.out are in the file that ran' \
			"$profil" export --gmon prog -o there &&
		[ ! -e there ] && [ -z "$(find . -name 'there.*')" ]
}

# Without names, samples stay where they were, in mappings with build ids.
pprof_bare() {
	small
	"$profil" export --pprof -o out && python3 "$here/prog/decode.py" out >got &&
		python3 "$here/prog/decode.py" profil.pb.gz >before || return 1
	cat got
	! grep -Eq 'alpha|beta' got && ! grep -aq alpha got &&
		sed 's/\(0x[0-9a-f]*\) [a-z<]*/\1 /g' before | diff - got || return 1
	gzip -dc <out | grep -aq aabb && gzip -dc <out | grep -aq ccdd &&
		status 0 "$profil" report -i out && grep -q '\[prog: no symbol\]' got
}

# Of two runs, one mapping for each segment of a file.
pprof_sum() {
	small
	fixture_of other.pb.gz <<-'END'
	rate|1000
	map|/opt/prog|aabb|0x701000|0x702000|0x1000
	sample|50|1:0x701010:alpha|program=prog|pid=10|thread=prog|tid=10|kind=user
	END
	"$profil" export --pprof-names -i profil.pb.gz -i other.pb.gz -o sum.pb.gz &&
		python3 "$here/prog/decode.py" sum.pb.gz | tee got |
		grep -qx 'sample 650,650000000 /opt/prog 0x401010 alpha program=prog pid=10 thread=prog tid=10 kind=user'
}

wrong() {
	small
	says 2 'in which format' "$profil" export &&
		says 2 'one format at a time' "$profil" export --folded --pprof &&
		says 2 'takes no argument' "$profil" export --folded x &&
		says 2 'no lines anyway' "$profil" export --pprof --no-lines &&
		says 2 'no lines anyway' "$profil" export --gmon x --no-lines &&
		says 2 'looks no names up' "$profil" export --pprof \
			--debug-dir . &&
		says 2 "can't be written: No space" \
			sh -c "$profil export --folded >/dev/full" &&
		says 2 "can't be written: No space" \
			sh -c "$profil export --pprof >/dev/full" &&
		says 2 "can't be written: Bad file" \
			sh -c "$profil export --pprof >&-" &&
		on_terminal 80 "$profil export --pprof" | tee got &&
		grep -q 'not for a terminal' got
}

check "folded_has_a_line_for_each_path" folded_said
check "folded_deep_path_keeps_its_leaf" folded_deep
check "folded_semicolon_in_a_name_parts_nothing" folded_semicolon
check "folded_same_names_are_one_line" folded_alike
check "folded_large_profile_needs_no_more_memory" folded_large
check "folded_is_the_report_to_the_sample" folded_judged paths
check "folded_awkward_names_to_the_sample" folded_judged awkward
if [ -e "$flamegraph" ]; then
	check "flamegraph_pl_shows_the_report" flame_judged paths
	check "flamegraph_pl_shows_awkward_names" flame_judged awkward
else
	skip "flamegraph_pl_shows_the_report" "libdevel-nytprof-perl is not installed"
fi
check "callgrind_annotate_shows_the_report" callgrind_judged plain_paths
check "callgrind_annotate_shows_awkward_names" callgrind_judged awkward
check "callgrind_profile_without_paths_is_shown" callgrind_judged plain_pcs
check "callgrind_inlined_is_at_its_file" callgrind_inlined
check "callgrind_lines_are_those_of_the_report" callgrind_lines
check "speedscope_is_the_report_to_the_sample" speedscope_judged paths
check "speedscope_awkward_names_to_the_sample" speedscope_judged awkward
if fetched && /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	check "speedscope_schema_takes_it" speedscope_valid paths
	check "speedscope_schema_takes_awkward_names" speedscope_valid awkward
else
	skip "speedscope_schema_takes_it" "no speedscope of npm, or no python3-jsonschema"
fi
if [ -e "$speedscope/package" ] && command -v chromium >/dev/null; then
	check "speedscope_bundle_shows_the_report" speedscope_shown paths
	check "speedscope_bundle_shows_awkward_names" speedscope_shown awkward
else
	skip "speedscope_bundle_shows_the_report" "no speedscope of npm, or no chromium"
fi
check "gprof_and_prof_show_the_object" gmon_judged -no-pie
check "gprof_and_prof_show_a_pie" gmon_judged -pie
check "gmon_large_counters_scaled_and_told" gmon_scaled -pie
check "gmon_object_missing_is_refused" gmon_refused
check "pprof_without_names_keeps_addresses" pprof_bare
check "pprof_sum_one_segment_is_one_mapping" pprof_sum
check "export_wrong_use_status_2" wrong
finish
