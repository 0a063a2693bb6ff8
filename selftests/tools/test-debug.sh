#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Names and lines that are found when a profile is read: debug files in
# --debug-dir, files of another machine, and debuginfod.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# profile_at PATH: hot.pb.gz, of a program there, without names.
profile_at() {
	printf 'rate|1000\nmap|%s|%s|0|0x100000|0\nsample|90|1:%s\nsample|10|1:%s\n' \
		"$1" "$id" "$pc" "$cold" | fixture_of hot.pb.gz
}

# report_has PATTERN ARG...: a row of the table.
report_has() {
	report_pattern=$1
	shift
	"$profil" report -i hot.pb.gz --csv --by line "$@" >rows 2>errors
	cat rows errors
	grep -q "$report_pattern" rows
}

named() {
	report_has '^90,90,.*"inner".*hot.c' "$@"
}

unnamed() {
	report_has '"\(\[hot: no symbol\]\|hot+0x[0-9a-f]*\)"' "$@" &&
		! grep -q inner rows
}

directory() {
	profile_at "$work/hot"
	unnamed && named --debug-dir debugs
}

# As a root directory of that machine, and as a heap of files.
elsewhere() {
	profile_at /opt/elsewhere/hot
	unnamed --debug-dir . && named --debug-dir root && named --debug-dir heap
}

# The debug file alone has the names, and no code.
debug_alone() {
	profile_at /opt/elsewhere/hot
	named --debug-dir debugs && status 2 "$profil" annotate -i hot.pb.gz \
		--debug-dir debugs inner && grep -q "can't be read" errors
}

no_directory() {
	profile_at "$work/hot"
	status 2 "$profil" report -i hot.pb.gz --debug-dir nowhere &&
		grep 'nowhere: there is no such directory' errors
}

other_build() {
	profile_at /opt/elsewhere/hot
	mkdir -p wrong
	cp otherhot wrong/hot
	unnamed --debug-dir wrong
}

# A name that was recorded is that of what ran.
recorded_stays() {
	printf 'rate|1000\nmap|%s|%s|0|0x100000|0\nsample|90|1:%s:recorded\n' \
		"$work/hot" "$id" "$cold" | fixture_of hot.pb.gz
	report_has '"recorded"' --debug-dir debugs
}

html_named() {
	profile_at /opt/elsewhere/hot
	"$profil" html -i hot.pb.gz --debug-dir root -o named.html &&
		python3 - <<-'END'
		import base64, gzip, re
		data = re.search(r'id="data">([^<]*)', open("named.html").read())
		assert b'"inner"' in gzip.decompress(base64.b64decode(data[1]))
		END
}

# serve FILE [slow]: a server of this file; sets DEBUGINFOD_URLS.
serve() {
	rm -rf log cache
	python3 "$here/prog/debuginfod.py" "$1" log ${2:+"$2"} & server=$!
	serve_nr=0
	while [ ! -s log ] && [ $serve_nr -lt 200 ]; do
		sleep 0.1
		serve_nr=$((serve_nr + 1))
	done
	DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 log)
	DEBUGINFOD_CACHE_PATH=$work/cache
	export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
}

serve_end() {
	kill "$server"
	wait "$server" 2>/dev/null || :
	unset DEBUGINFOD_URLS
}

asked() {
	grep -c "^/buildid/$id/debuginfo" log || :
}

# What was fetched is kept, and asked for once.
fetched() {
	profile_at "$work/hot"
	serve served/hot.debug
	fetched=0
	{ named --no-lines || [ "$(asked)" = 0 ]; } && named &&
		[ "$(asked)" = 1 ] || fetched=1
	serve_end
	DEBUGINFOD_URLS=http://127.0.0.1:1
	export DEBUGINFOD_URLS
	named || fetched=1
	unset DEBUGINFOD_URLS
	return $fetched
}

not_wanted() {
	profile_at "$work/hot"
	serve served/hot.debug
	unset DEBUGINFOD_URLS
	not_wanted=0
	unnamed && [ "$(asked)" = 0 ] || not_wanted=1
	serve_end
	return $not_wanted
}

other_sent() {
	profile_at "$work/hot"
	serve otherhot
	other_sent=0
	unnamed && [ "$(asked)" -ge 1 ] || other_sent=1
	serve_end
	return $other_sent
}

# Two objects, and 10 seconds for both.
slow() {
	printf 'map|/opt/a|%s|0|0x100000|0\nmap|/opt/b|%s|0|0x100000|0\nsample|9|1:0x10\nsample|1|2:0x10\n' \
		aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb | fixture_of slow.pb.gz
	serve served/hot.debug slow
	slow=0
	timeout 30 "$profil" report -i slow.pb.gz >/dev/null 2>errors || slow=$?
	cat errors log
	grep -q 'debuginfod has taken 10 seconds' errors || slow=1
	serve_end
	return $slow
}

# tells WORDS ARG...: the line of the head for the object without names.
tells() {
	tells_words=$1
	shift
	PATH=$work/bin:$PATH "$profil" report -i hot.pb.gz "$@" >got 2>errors
	cat got errors
	grep -Fx "no names: 100.0 % in hot; $tells_words" got
}

tells_not() {
	PATH=$work/bin:$PATH "$profil" report -i hot.pb.gz "$@" >got
	cat got
	! grep 'no names:' got
}

# package NAME: what dpkg-query would say of the program.
package() {
	mkdir -p bin
	cat >bin/dpkg-query <<-END
	#!/bin/sh
	echo "\$@" >>asked
	[ -z "$1" ] || echo "$1: $work/hot"
	END
	chmod +x bin/dpkg-query
	: >asked
}

of_package() {
	profile_at "$work/hot"
	package hot-tools:amd64
	tells "install hot-tools-dbgsym or hot-tools-dbg, or set DEBUGINFOD_URLS" &&
		grep -Fx -e "-S $work/hot /usr$work/hot" asked &&
		DEBUGINFOD_URLS=http://127.0.0.1:1 \
			tells "install hot-tools-dbgsym or hot-tools-dbg"
}

of_no_package() {
	profile_at "$work/hot"
	package ''
	tells "set DEBUGINFOD_URLS, or give its debug file's directory by --debug-dir" &&
		DEBUGINFOD_URLS=http://127.0.0.1:1 \
			tells "DEBUGINFOD_URLS sent no debug file: give its directory by --debug-dir"
}

# A package has a file of that name, and it is not what ran.
not_of_package() {
	profile_at "$work/hot"
	package hot-tools
	mv hot hot.kept
	cp otherhot hot
	not_of=0
	tells "set DEBUGINFOD_URLS, or give its debug file's directory by --debug-dir" &&
		[ ! -s asked ] || not_of=1
	mv hot.kept hot
	return $not_of
}

# Neither a pattern, nor an answer that is no name, comes through.
hostile_package() {
	mkdir -p 'h*' && cp hot 'h*/hot' && profile_at "$work/h*/hot"
	package hot-tools
	tells "set DEBUGINFOD_URLS, or give its debug file's directory by --debug-dir" &&
		[ ! -s asked ] || return 1
	profile_at "$work/hot"
	printf '#!/bin/sh\nprintf "%%b" "a\\033[2J: x\\ndiversion by x from: y\\n"\n' \
		>bin/dpkg-query
	tells "set DEBUGINFOD_URLS, or give its debug file's directory by --debug-dir"
}

no_build_id() {
	gcc -g -O1 -s -Wl,--build-id=none -o bare/hot "$here/prog/hot.c"
	touch -d @1 bare/hot
	printf 'rate|1000\ntime|1700000000\nmap|%s||0|0x100000|0\nsample|9|1:%s\n' \
		"$work/bare/hot" "$pc" | fixture_of hot.pb.gz
	package ''
	tells "build it without -s: it has no build id, by which a debug file is found"
}

# The names of both sides, without their lines.
diff_named() {
	profile_at "$work/hot"
	cp hot.pb.gz again.pb.gz
	"$profil" diff --base hot.pb.gz --new again.pb.gz --debug-dir debugs >got
	cat got
	grep -q ' outer$' got && grep -q ' cold$' got && ! grep -q inner got &&
		! "$profil" diff --base hot.pb.gz --new again.pb.gz | grep -q outer
}

# Where names were found, were not looked for, or hardly lack.
silent() {
	package hot-tools
	profile_at "$work/hot"
	tells_not --debug-dir debugs && tells_not --no-lines &&
		tells_not --by object || return 1
	printf 'rate|1000\nmap|%s|%s|0|0x100000|0\nsample|199|1:%s:inner\nsample|1|1:%s\n' \
		"$work/hot" "$id" "$pc" "$cold" | fixture_of hot.pb.gz
	tells_not
}

# A program of Debian's, as its package has it.
of_debian() {
	dash=$(readlink -f /bin/dash)
	dash_id=$(readelf -n "$dash" | sed -n 's/.*Build ID: //p')
	printf 'rate|1000\nmap|%s|%s|0|0x100000|0\nsample|9|1:0x8000\n' \
		"$dash" "$dash_id" | fixture_of dash.pb.gz
	"$profil" report -i dash.pb.gz >got
	cat got
	grep -Fx 'no names: 100.0 % in dash; install dash-dbgsym or dash-dbg, or set DEBUGINFOD_URLS' got
}

# A report on 10,000 pcs of node's text takes 20 MiB of anonymous memory at most.
node_in_20_mib() {
	node_id=$(readelf -n "$node" | sed -n 's/ *Build ID: //p')
	readelf -SW "$node" | sed 's/^ *\[ *[0-9]*\]//' |
		awk '$1 == ".text" { print $3, $4, $5 }' >text
	read -r at offset size <text
	mkdir -p "large$(dirname "$node")"
	ln -sf "$node" "large$node"
	awk -v map="$node|$node_id|0x$at|$((0x$at + 0x$size))|0x$offset" \
		-v at=$((0x$at)) -v size=$((0x$size)) 'BEGIN {
			print "rate|1000"
			print "map|" map
			for (i = 0; i < 10000; i++)
				printf "sample|1|1:%d\n", at + int(i * size / 10000)
		}' | fixture_of hot.pb.gz
	python3 "$here/prog/anonymous.py" "$profil" report -i hot.pb.gz --csv \
		--debug-dir large >rows 2>used
	tail -n 2 rows
	cat used
	[ "$(wc -l <rows)" -gt 2000 ] && [ "$(cat used)" -le 20480 ] &&
		[ "$(cat used)" -gt 1000 ]
}

hot_profile || exit 1
# Not beside the program, because elfutils looks there.
mkdir -p served
objcopy --only-keep-debug hot served/hot.debug
mkdir -p bare debugs/.build-id/"$(echo "$id" | cut -c 1-2)" root/opt/elsewhere heap
cp served/hot.debug debugs/.build-id/"$(echo "$id" | sed 's,..,&/,')".debug
cp hot root/opt/elsewhere
cp hot heap
sed 's/sink += i/sink -= i/' "$here/prog/hot.c" >other.c
gcc -g -O1 -Wl,--build-id=sha1 -o otherhot other.c
strip hot

check "debug_dir_by_build_id_names_and_lines" directory
check "debug_dir_object_by_path_or_name" elsewhere
check "debug_file_alone_names_and_lines" debug_alone
check "debug_dir_that_is_not_there_is_refused" no_directory
check "debug_dir_other_build_not_used" other_build
check "debug_name_that_was_recorded_stays" recorded_stays
check "debug_dir_names_the_picture" html_named
check "debug_dir_names_both_sides_of_diff" diff_named
check "nameless_object_names_its_package" of_package
check "nameless_object_of_no_package" of_no_package
check "nameless_file_that_did_not_run_no_package" not_of_package
check "nameless_hostile_path_and_answer" hostile_package
check "nameless_object_without_build_id" no_build_id
check "nameless_silent_where_names_are" silent
node=$(readlink -f "$(command -v node || echo /missing)")
if [ "$(stat -c %s "$node" 2>/dev/null || echo 0)" -gt 50000000 ]; then
	check "debug_names_of_node_in_20_mib" node_in_20_mib
else
	skip "debug_names_of_node_in_20_mib" "there is no node in one file"
fi
if dpkg-query -S /bin/dash >/dev/null 2>&1; then
	check "nameless_program_of_debian" of_debian
else
	skip "nameless_program_of_debian" "no dpkg-query that knows dash"
fi
if ls /usr/lib/*/libdebuginfod.so.1 >/dev/null 2>&1; then
	check "debuginfod_fetched_once_and_kept" fetched
	check "debuginfod_not_asked_without_urls" not_wanted
	check "debuginfod_other_file_not_used" other_sent
	check "debuginfod_slow_ends_after_10_seconds" slow
else
	skip "debuginfod" "libdebuginfod1 is not installed"
fi
finish
