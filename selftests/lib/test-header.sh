#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The installed header in every language and mode, and what is installed.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

inst=$work/inst/usr
cat >use.c <<'EOF'
FIRST
#include <profil.h>
LAST
int main(void)
{
	static unsigned short bins[16];
	struct profil_counts counts;

	monstartup(0, 0);
	moncontrol(0);
	(void)sprofil((struct prof *)0, 0, (struct timeval *)0, PROF_USHORT);
	(void)profil_counts_get(&counts, sizeof(counts));
	return profil(bins, sizeof(bins), 0, PROFIL_BACKEND_KERNEL);
}
EOF

# mode NAME SUFFIX COMPILER FLAG...
mode() {
	mode_name=$1
	mode_suffix=$2
	CC_OF=$3
	shift 3
	check "the header as $mode_name" all_orders "$mode_suffix" "$@"
}

all_orders() {
	orders_suffix=$1
	shift
	for first in "" "#include <unistd.h>" "#include <sys/gmon.h>"; do
		for last in "" "#include <unistd.h>" "#include <sys/profil.h>" \
			"#include <sys/gmon.h>"; do
			sed -e "s|^FIRST|$first|" -e "s|^LAST|$last|" use.c \
				>"order.$orders_suffix"
			"$CC_OF" -Wall -Wextra -Werror -pedantic-errors \
				-fsyntax-only -I"$inst/include" "$@" \
				"order.$orders_suffix" || return 1
		done
	done
}

links() {
	PKG_CONFIG_PATH=$inst/lib/pkgconfig
	export PKG_CONFIG_PATH
	sed -e '/^FIRST/d' -e '/^LAST/d' use.c >link.c
	# shellcheck disable=SC2046
	$CC -o link link.c $(pkg-config --define-variable=prefix="$inst" \
		--cflags --libs libprofil) || return 1
	readelf -d link | grep -F '[libprofil.so.1]'
}

# A name too many, and one too few.
disagree() {
	"$tree/lib/check-symbols.sh" nm "$preload" "$tree/lib/libprofil.map" \
		"$PROFIL_LIB_DIR/libprofil.unversioned" || return 1
	echo unheard_of >list.more
	cat "$PROFIL_LIB_DIR/libprofil.unversioned" >>list.more
	! "$tree/lib/check-symbols.sh" nm "$preload" \
		"$tree/lib/libprofil.map" list.more || return 1
	grep -v _mcleanup "$PROFIL_LIB_DIR/libprofil.unversioned" >list.less
	! "$tree/lib/check-symbols.sh" nm "$preload" \
		"$tree/lib/libprofil.map" list.less
}

clean_page() {
	LC_ALL=C.UTF-8 man --warnings -l -Tutf8 "$1" 2>&1 >/dev/null |
		tee page.log
	[ ! -s page.log ] || return 1
	# Whether the pages referred to are installed here says nothing.
	mandoc -T lint "$1" | grep -v 'referenced manual not found' |
		tee page.log
	[ ! -s page.log ]
}

check "make install" make -s -C "$tree/lib" O="$PROFIL_LIB_DIR" \
	DESTDIR="$work/inst" PREFIX=/usr install
mode C89 c gcc -std=c89
mode "C89 of POSIX alone" c gcc -std=c89 -D_POSIX_C_SOURCE=199309L
mode C11 c gcc -std=c11
mode "GNU C17" c gcc -std=gnu17
mode C++98 cc g++ -std=c++98
mode C++17 cc g++ -std=c++17
mode "C11 by clang" c "$(command -v clang || echo gcc)" -std=c11
if echo 'int main(void) { return 0; }' |
	gcc -m32 -x c -o m32 - 2>/dev/null; then
	mode "C89 with -m32" c gcc -std=c89 -m32 \
		-idirafter "/usr/include/$(gcc -dumpmachine | sed 's/-.*//')-linux-gnu"
else
	skip "the header as C89 with -m32" "no 32-bit compiler"
fi
check "a program links by pkg-config" links
check "a symbol map that disagrees is an error" disagree
for page in "$tree"/man/*; do
	check "${page##*/} is clean" clean_page "$page"
done
finish
