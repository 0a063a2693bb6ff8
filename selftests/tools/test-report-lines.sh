#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# profil report: the functions and lines that the object's own tables give.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"

inlined() {
	hot_profile "$@" || return 1
	"$profil" report -i hot.pb.gz >got && cat got || return 1
	grep -Eqx ' +90.0 % +90.0 % +90  hot     inner' got &&
		grep -Eqx ' +0.0 % +90.0 % +0  hot     outer' got &&
		grep -Eqx ' +10.0 % +10.0 % +10  hot     cold' got || return 1
	"$profil" report --by line -i hot.pb.gz >got && cat got
	sed -n 's/^.*hot.c:\([0-9]*\)$/\1/p' chain >judge
	inner=$(sed -n 1p judge)
	outer=$(sed -n 2p judge)
	grep -Eqx " +90.0 % +90.0 % +90  hot     hot.c:$inner  inner" got &&
		grep -Eqx " +0.0 % +90.0 % +0  hot     hot.c:$outer  outer" got
}

# A nested function was not called by the one whose text it stands in.
nested() {
	gcc -g -O0 -Wl,--build-id=sha1 -o nested "$here/prog/nested.c" || return 1
	id=$(readelf -n nested | sed -n 's/ *Build ID: //p')
	nm nested | awk -v map="map|$work/nested|$id|0|0x9000|0" '
		BEGIN { print "rate|1"; print map }
		$3 ~ /^nested/ { print "sample|5|1:0x" $1 ":" $3 }
		$3 == "main" { print "sample|15|1:0x" $1 ":" $3 }' |
		fixture_of n.pb.gz
	"$profil" report -i n.pb.gz >got || return 1
	cat got
	grep -Eqx ' +25.0 % +25.0 % +5  nested  nested[.][0-9]+' got &&
		grep -Eqx ' +75.0 % +75.0 % +15  nested  main' got
}

replaced() {
	hot_profile || return 1
	echo 'int main(void) { return 7; }' | gcc -g -O1 -Wl,--build-id=sha1 \
		-o hot -x c - || return 1
	"$profil" report -i hot.pb.gz >got 2>errors || return 1
	cat got errors
	grep -q 'hot is not the file that ran' errors && grep -q 'outer$' got &&
		! grep -q inner got && ! grep -q main got
}

check "report_inlined_function_has_its_line" inlined
check "report_inlined_dwarf4_has_its_line" inlined -gdwarf-4
check "report_inlined_split_dwarf_has_its_line" inlined -gsplit-dwarf
check "report_nested_function_stands_alone" nested
check "report_object_replaced_no_new_names" replaced
finish
