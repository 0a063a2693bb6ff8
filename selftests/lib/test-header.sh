#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The installed header in every language and mode, and what is installed.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

dialects="bsd44:-D_NETBSD_SOURCE osf1:-D_OSF_SOURCE hpux:-D_HPUX_SOURCE"
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

# What each dialect's page shows of its calls, compiled without a cast more.
cat >use.bsd44 <<'EOF'
FIRST
#include <profil.h>
LAST
int main(void)
{
	static char samples[16];
	int (*address)(char *, size_t, unsigned long, unsigned int) = profil;

	monstartup(0, 0);
	return profil(samples, sizeof(samples), 0x400000UL, 65536) +
	       address(samples, 0, 0, 0);
}
EOF
cat >use.osf1 <<'EOF'
FIRST
#include <profil.h>
LAST
static void text(void)
{
}

int main(void)
{
	static unsigned short short_buffer[8];
	static unsigned int buffer[4];
	static struct profil_args args[1];
	void (*address)(void *, unsigned int, void *, unsigned long) = profil;

	args[0].buffer = buffer;
	args[0].highpc = args[0].lowpc = args[0].offset = (void *)0;
	args[0].scale = 0x10000;
	profil(short_buffer, sizeof(short_buffer), text, 0x10000);
	profil(short_buffer, sizeof(short_buffer), &text, 2);
	profil(short_buffer, sizeof(short_buffer), 0, 2);
	profil(args, 1, -1, 0);
	profil(args, sizeof(args) / sizeof(args[0]), (char *)-1, 0);
	profil(0, 0, 0, 0);
	profil_thread(args, 1, -1, 0);
	profil_thread(0, 0, 0, 0);
	address(short_buffer, 0, short_buffer, 0);
	monstartup(0, 0);
	return 0;
}
EOF
cat >use.hpux <<'EOF'
FIRST
#include <sys/time.h>
#include <profil.h>
LAST
int main(void)
{
	static unsigned short bins[8];
	struct prof prof[1];
	struct timeval tick;
	int (*address)(unsigned short *, size_t, size_t, unsigned int) = profil;

	prof[0].pr_base = bins;
	prof[0].pr_size = sizeof(bins);
	prof[0].pr_offset = (void *)0;
	prof[0].pr_scale = 65536;
	profil(bins, sizeof(bins), 0, 0177777);
	address(bins, 0, 0, 0);
	monstartup(0, 0);
	return sprofil(prof, 1, &tick, PROF_USHORT) +
	       sprofil(prof, 0, &tick, PROF_UINT) +
	       sprofil(prof, 0, &tick, PROF_UINT64) +
	       (sysconf(_SC_PROFIL_MAX) > sysconf(_SC_PAGESIZE));
}
EOF

# mode NAME SUFFIX COMPILER FLAG...
mode() {
	mode_name=$1
	mode_suffix=$2
	CC_OF=$3
	shift 3
	check "the header as $mode_name" all_orders use.c "$mode_suffix" "$@"
	for dialect in $dialects; do
		check "${dialect%:*} as $mode_name" all_orders \
			"use.${dialect%:*}" "$mode_suffix" "${dialect#*:}" "$@"
	done
}

all_orders() {
	orders_source=$1
	orders_suffix=$2
	shift 2
	for first in "" "#include <unistd.h>" "#include <sys/profil.h>" \
		"#include <sys/gmon.h>"; do
		for last in "" "#include <unistd.h>" "#include <sys/profil.h>" \
			"#include <sys/gmon.h>"; do
			sed -e "s|^FIRST|$first|" -e "s|^LAST|$last|" "$orders_source" \
				>"order.$orders_suffix"
			"$CC_OF" -Wall -Wextra -Werror -pedantic-errors \
				-fsyntax-only -I"$inst/include" "$@" \
				"order.$orders_suffix" || return 1
		done
	done
}

several() {
	printf '#include <profil.h>\n' >several.c
	! gcc -fsyntax-only -I"$inst/include" -D_NETBSD_SOURCE \
		-D_OPENBSD_SOURCE several.c 2>said || return 1
	cat said
	grep -q '#undef all but one' said
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

# documented LINE: with the comment of a call as it is, and with that line less.
documented() {
	rm -rf headers
	cp -r "$tree/lib/include" headers
	"$here/documented" "$tree/lib/libprofil.map" headers/*.h \
		headers/profil/*.h || return 1
	sed -i "/$1/d" headers/*.h headers/profil/*.h
	! "$here/documented" "$tree/lib/libprofil.map" headers/*.h \
		headers/profil/*.h
}

check "make install" make -s -C "$tree/lib" O="$PROFIL_LIB_DIR" \
	DESTDIR="$work/inst" PREFIX=/usr install
mode C89 c gcc -std=c89
mode "C89 of POSIX alone" c gcc -std=c89 -D_POSIX_C_SOURCE=199309L
mode C11 c gcc -std=c11
mode "GNU C17" c gcc -std=gnu17
mode "C11 of _GNU_SOURCE" c gcc -std=c11 -D_GNU_SOURCE
mode C++98 cc g++ -std=c++98
mode C++17 cc g++ -std=c++17
mode "C11 by clang" c "$(command -v clang || echo gcc)" -std=c11
headers=/usr/include/$(gcc -dumpmachine | sed 's/-.*//')-linux-gnu
if echo 'int main(void) { return 0; }' |
	gcc -m32 -x c -o m32 - 2>/dev/null; then
	for language in "c89 c gcc" "c11 c gcc" "c++17 cc g++"; do
		# shellcheck disable=SC2086 # a list of words
		mode "${language%% *} with -m32" ${language#* } -m32 \
			"-std=${language%% *}" -idirafter "$headers"
	done
else
	skip "the headers with -m32" "no 32-bit compiler"
fi
check "several dialects at once are an error that helps" several
check "a program links by pkg-config" links
check "a symbol map that disagrees is an error" disagree
check "every call has a comment" documented "^ [*] profil_counts_get - "
check "every comment has the answers" documented "^ [*] Returns 0, or -1"
check "every comment has the errors" documented "errno"
check "every comment has a page" documented "Page: NetBSD"
finds() {
	MANPATH=$work/inst/usr/share/man man -P cat 3 "$1" | grep -q "$1"
}

for name in profil_backend profil_backend_name profil_dso_start \
	profil_counts_get profil_thread monstartup moncontrol _mcleanup; do
	check "man 3 $name finds a page" finds "$name"
done
one_head() {
	grep -Lx '\.TH [A-Z]* [1347] [0-9-]* "profil '"$(cat "$tree/VERSION")"'" ".*"' \
		"$tree"/man/*.[1-9] >other
	cat other
	[ ! -s other ]
}

check "the pages have one head, with the version" one_head
for page in "$tree"/man/*.[1-9]; do
	check "${page##*/} is clean" "$tree/selftests/pages" "$page"
done
finish
