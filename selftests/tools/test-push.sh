#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil push, to a server that looks at what it gets as Pyroscope does.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# serve [STATUS]: sets url.
serve() {
	rm -f log
	python3 "$here/prog/ingest.py" log "$@" & server=$!
	serve_nr=0
	while [ ! -s log ] && [ $serve_nr -lt 200 ]; do
		sleep 0.1
		serve_nr=$((serve_nr + 1))
	done
	url=http://127.0.0.1:$(head -n 1 log)
}

serve_end() {
	kill "$server"
	wait "$server" 2>/dev/null || :
	cat log
}

# got EXPRESSION: of the last that came.
got() {
	sed 1d log | tail -n 1 | python3 -c "
import json, sys
got = json.loads(sys.stdin.read())
assert $1, got"
}

taken() {
	small
	serve
	status 0 "$profil" push "$url" && [ ! -s errors ] &&
		got 'got["samples"] == 1000' && got 'got["types"] == ["samples", "cpu"]' &&
		got 'got["query"]["name"] == "prog"' &&
		got 'got["query"]["from"] == "1700000000"' &&
		got 'int(got["query"]["until"]) > 1700000000' &&
		got 'got["query"]["sampleRate"] == "1000"'
	taken=$?
	[ -e profil.pb.gz ] || taken=1
	serve_end
	return $taken
}

# What a URL or curl could take for its own.
named() {
	small 'odd;name,"x.pb.gz'
	serve
	status 0 "$profil" push -i 'odd;name,"x.pb.gz' \
		--name 'a&b=c {env="x"} é%' --header 'X-Scope-OrgID: me' "$url/" &&
		got 'got["query"]["name"] == "a&b=c {env=\"x\"} é%"' &&
		got 'got["header"] == "me"'
	named=$?
	status 0 "$profil" push -i 'odd;name,"x.pb.gz' "$url/ingest" || named=1
	status 0 "$profil" push -i 'odd;name,"x.pb.gz' "$url/ingest?x=y" &&
		got 'got["query"]["x"] == "y"' || named=1
	serve_end
	return $named
}

# The name is that of what was recorded, and curl's file has the password.
attached() {
	fixture_of profil.pb.gz <<-'END'
	command|profil attach -d 10 -p 12
	rate|1000
	sample|40|0:0x10:a|program=little|pid=12|kind=user
	sample|30|0:0x10:b|program=server|pid=13|kind=user
	sample|30|0:0x20:c|program=server|pid=13|kind=user
	END
	echo 'machine 127.0.0.1 login me password secret' >.netrc
	chmod 600 .netrc
	serve
	status 0 "$profil" push "$url" && got 'got["query"]["name"] == "server"' &&
		got 'got["login"] == "Basic bWU6c2VjcmV0"'
	attached=$?
	rm .netrc
	serve_end
	return $attached
}

# refused STATUS PATTERN: a line has the status, what to do, and the answer.
refused() {
	small
	serve "$1"
	refused=0
	says 1 "answers $1: .*$2.*: no, thanks" "$profil" push "$url" ||
		refused=1
	[ -e profil.pb.gz ] || refused=1
	serve_end
	return $refused
}

other_path() {
	small
	serve
	other_path=0
	says 1 "answers 422: .*refused" "$profil" push "$url/other" || other_path=1
	serve_end
	return $other_path
}

no_server() {
	small
	says 1 'no server answers there' "$profil" push http://127.0.0.1:1 &&
		says 1 'no such host' "$profil" push http://host.invalid:4040
}

no_curl() {
	small
	mkdir -p empty
	says 1 'curl is not there' env PATH="$work/empty" "$profil" push \
		http://127.0.0.1:1
}

# A query without a path is none of the server's paths.
with_query() {
	small
	serve
	status 0 "$profil" push "$url?a=b" && status 0 "$profil" push "$url/?a=b" &&
		got 'got["query"]["a"] == "b" and got["query"]["name"] == "prog"'
	with_query=$?
	serve_end
	return $with_query
}

wrong_use() {
	small
	says 2 '^profil: --header nonsense: a header is NAME: VALUE' "$profil" push \
		--header nonsense http://h &&
		says 2 '@none: none: No such file' "$profil" push \
			--header @none http://h &&
		says 2 'is not sent to a server' "$profil" push http://h/#x &&
		says 2 'one profile is sent at a time' "$profil" push -i a -i b \
			http://h || return 1
	status 2 "$profil" push && status 2 "$profil" push a b &&
		says 2 'is no URL' "$profil" push 127.0.0.1:4040 &&
		says 2 'is no URL' "$profil" push -- --config &&
		says 1 'there is no missing' "$profil" push -i missing http://h &&
		printf x >broken && says 2 . "$profil" push -i broken http://h
}

http_proxy='' https_proxy='' no_proxy='*' HOME=$work
export http_proxy https_proxy no_proxy HOME
if command -v curl >/dev/null; then
	check "push_taken_with_times_name_and_samples" taken
	check "push_odd_names_and_headers_arrive_whole" named
	check "push_name_and_password_of_what_is_there" attached
	check "push_refused_for_lack_of_rights" refused 401 by.--header
	check "push_refused_as_too_large" refused 413 'less time'
	check "push_refused_for_now" refused 503 later
	check "push_refused_for_another_path" other_path
	check "push_query_of_the_url_is_kept" with_query
	check "push_without_a_server" no_server
else
	skip "push_to_a_server" "there is no curl"
fi
check "push_without_curl" no_curl
check "push_wrong_use" wrong_use
finish
