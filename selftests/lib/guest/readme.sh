#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What README.md and the pages of docs/ type: their program compiles and profiles
# itself, their commands run, the files and targets that they name are there.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib.sh"
pages="README.md CONTRIBUTING.md docs/*.md"

example() {
	awk '/^```$/ { on = 0 } on { print } /^```c$/ { on = 1 }' \
		"$tree/docs/use.md" >example.c
	test -s example.c
}

compiles() {
	$CC -O2 -Wall -Wextra -Werror "-I$tree/uapi" -o example example.c
}

# It prints samples and ticks: no more of the one than of the other.
counts() {
	./example >out && cat out && awk '
		/ samples$/ { samples += $2 }
		/ ticks, / { ticks = $1 }
		END { exit !(samples > 0 && ticks >= samples) }' out
}

complains() {
	! ./example && ./example 2>&1 | grep /dev/profil
}

# commands PAGE: those that come after the sentence of a -pg program.
commands() {
	awk '/^A program that was built with `gcc -pg`/ { on = 1 }
		on && /^    / { print; found = 1 }
		on && found && !/^    / { exit }' "$tree/$1"
}

cat >program.c <<'END'
static volatile unsigned long turns;

int main(void)
{
	while (turns < 100000000)
		turns++;
}
END

profiles_a_program() {
	commands "$1" >typed
	cat typed
	[ "$(wc -l <typed)" = 3 ] || return 1
	rm -f gmon.out
	LD_LIBRARY_PATH=$PROFIL_LIB_DIR sh -e ./typed >report 2>said ||
		{ cat said; return 1; }
	# A name that is wrong is a warning of the loader, and no more.
	! grep -F 'cannot be preloaded' said || return 1
	grep -E '^ *[0-9.]+ .* main$' report
}

# So that what is tried by README is tried for this page.
install_page_repeats_readme() {
	sed -n '/^## Install$/,/^## Use$/s/^    \(sudo [^#]*[^ #]\).*/\1/p' \
		"$tree/README.md" >typed
	[ "$(wc -l <typed)" -gt 5 ] || return 1
	while read -r line; do
		grep -F -- "$line" "$tree/docs/install.md" ||
			{ echo "not in docs/install.md: $line"; return 1; }
	done <typed
}

targets_exist() {
	# shellcheck disable=SC2086 # a list of patterns
	(cd "$tree" && grep -Ehow '(^ +|`|&& )(sudo )?make [a-z][a-z-]+' $pages) |
		sed 's/.* //' | sort -u >typed
	[ "$(wc -l <typed)" -gt 10 ] || return 1
	while read -r target; do
		grep -q "^$target:" "$tree/Makefile" ||
			{ echo "no target $target"; return 1; }
	done <typed
}

links_lead_somewhere() {
	# shellcheck disable=SC2086 # a list of patterns
	(cd "$tree" && grep -EoH '\]\([^)#:]+' $pages) >links
	while IFS=: read -r page link; do
		[ -e "$tree/$(dirname "$page")/${link#??}" ] ||
			echo "$page: no ${link#??}"
	done <links >missing
	cat missing
	[ -s links ] && [ ! -s missing ]
}

# The programs of a page: its examples that have a main().
page_examples() {
	awk -v page="$1" '
		/^\.EE/ {
			if (text ~ /int main/) {
				file = page "." ++n ".c"
				printf "%s", text >file
				print file
			}
			on = 0
		}
		on { text = text $0 "\n" }
		/^\.EX/ { on = 1; text = "" }' "$tree/man/$1" | while read -r file; do
		sed -i 's/\\e/\\/g; s/\\-/-/g' "$file"
		echo "$file"
	done
}

page_examples_compile() {
	for page in libprofil.7 monitor.3 profil.3 profil.4 sprofil.3; do
		page_examples "$page" >sources
		[ -s sources ] || { echo "$page has no program"; return 1; }
		while read -r source; do
			$CC -std=gnu11 -Wall -Wextra -Werror -fsyntax-only \
				"-I$tree/lib/include" "-I$tree/uapi" "$source" ||
				return 1
		done <sources
	done
}

readme_is_short() {
	[ "$(wc -l <"$tree/README.md")" -le 120 ]
}

check "docs/use.md has a program" example
check "it compiles without a warning" compiles
if [ -e /dev/profil ]; then
	check "it finds itself in its own samples" counts
else
	check "it says that there is no device" complains
fi
check "what README types profiles a program" profiles_a_program README.md
check "what docs/use.md types profiles it too" profiles_a_program docs/use.md
check "docs/install.md has the commands of README" install_page_repeats_readme
check "each target of make that a page types is there" targets_exist
check "each file that a page links is there" links_lead_somewhere
check "the programs of the manual pages compile" page_examples_compile
check "README has at most 120 lines" readme_is_short
finish
