#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The static build, in a container that has nothing else; and the CDI file.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

# boxed COMMAND ARG...: its root has profil and the directory here alone.
boxed() {
	mkdir -p here
	bwrap --unshare-all --ro-bind "$tools/profil-static" /profil \
		--bind here /here --chdir /here "$@"
}

one_file() {
	! readelf -lW "$tools/profil-static" | grep -q 'INTERP\|DYNAMIC' &&
		[ "$(stat -c %s "$tools/profil-static")" -lt 4000000 ]
}

# Names, inlined functions and lines, of a program that is carried with it.
reports() {
	hot_profile && mkdir -p here/root && cp hot.pb.gz here/profil.pb.gz &&
		cp hot here/root && status 0 boxed /profil report --csv \
		--by line --debug-dir root && grep -q '^90,90,.*"inner",.*hot\.c' got
}

draws() {
	status 0 boxed /profil html --debug-dir root && [ -s here/profil.html ]
}

# What is not there is told.
says_what_is_missing() {
	status 125 boxed /profil run /profil -V && grep -q -- '--device /dev/profil' \
		errors && status 1 boxed --setenv DEBUGINFOD_URLS http://127.0.0.1:1 \
		/profil check && status 1 boxed /profil push http://127.0.0.1:1 &&
		grep -q 'curl is not there' errors
}

# As the specification of the Container Device Interface has it.
cdi_file() {
	python3 - "$tree/packaging/profil.cdi.json" <<-'END'
		import json, re, sys
		spec = json.load(open(sys.argv[1]))
		assert set(spec) <= {"cdiVersion", "kind", "annotations", "devices",
		                     "containerEdits"}
		# Annotations came with 0.6.0.
		assert spec["cdiVersion"] == "0.6.0"
		assert re.fullmatch(r"[A-Za-z]([\w.-]*\w)?/[A-Za-z]([\w.-]*\w)?",
		                    spec["kind"])
		names = [device["name"] for device in spec["devices"]]
		assert names and len(set(names)) == len(names)
		for device in spec["devices"]:
		    assert set(device) == {"name", "containerEdits"}
		    assert re.fullmatch(r"\w([\w.:-]*\w)?", device["name"])
		    edits = device["containerEdits"]
		    assert set(edits) == {"deviceNodes"} and edits["deviceNodes"]
		    for node in edits["deviceNodes"]:
		        assert set(node) <= {"path", "hostPath", "type", "major", "minor",
		                             "fileMode", "permissions", "uid", "gid"}
		        assert node["path"] == "/dev/profil" and node["type"] == "c"
		        assert re.fullmatch("r?w?m?", node["permissions"])
		        assert {"r", "w"} <= set(node["permissions"])
	END
}

make -s -C "$tree/tools/profil" O="$tools" CC=gcc WERROR=1 static >&2
check "static_is_one_file_below_4_mb" one_file
if bwrap --unshare-all --ro-bind / / true 2>/dev/null; then
	check "static_reports_in_an_empty_container" reports
	check "static_draws_in_an_empty_container" draws
	check "static_says_what_is_missing" says_what_is_missing
else
	skip "static_in_an_empty_container" "bubblewrap can't run here"
fi
check "cdi_file_has_the_fields_of_the_specification" cdi_file
finish
