#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What bash completes: commands, options, processes and files.
# shellcheck disable=SC2317,SC2154 # tests are passed by name
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=/dev/null
. "$here/tools.sh"
# shellcheck source=/dev/null
. "$tree/tools/profil/completion.bash"
PATH=$tools:$PATH

# offers WORD... : WANTED...: after the words, the last of which is begun.
offers() {
	COMP_WORDS=()
	while [ "$1" != : ]; do
		COMP_WORDS+=("$1")
		shift
	done
	shift
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_profil
	echo "${COMP_WORDS[*]}: ${COMPREPLY[*]}"
	for wanted; do
		case " ${COMPREPLY[*]} " in
		*" $wanted "*) ;;
		*) echo "without $wanted"; return 1 ;;
		esac
	done
}

# only WORD... : WANTED...: and nothing else.
only() {
	offers "$@" || return 1
	while [ "$1" != : ]; do
		shift
	done
	shift
	[ ${#COMPREPLY[@]} -eq $# ]
}

# Each that profil --help lists, and no other.
commands() {
	mapfile -t known < <(profil --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
	[ ${#known[@]} -ge 6 ] &&
		only profil "" : "${known[@]}" --help --version &&
		only profil re : report && only profil zz :
}

options() {
	offers profil run - : -o -r -q -d --duration --control --no-follow &&
		only profil attach --d : --delay --descendants --duration &&
		offers profil report - : --by --csv --json --color --tree -i &&
		only profil html --no : --no-lines
}

# Every option that a command's help has a line of.
all_options() {
	for command in $(profil --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		mapfile -t known < <(profil "$command" --help |
			sed -n 's/^  \(--*[A-Za-z-]*\).*/\1/p')
		offers profil "$command" - : "${known[@]}" || return 1
	done
}

values() {
	only profil report --by "" : cgroup function instruction line object \
		process thread thread-name && only profil report --by p : process &&
		only profil top --by "" : function process thread &&
		only profil report --color = a : always auto &&
		only profil report --sort "" : self total
}

processes() {
	cp "$(command -v sleep)" a_rare_name
	./a_rare_name 100 & rare=$!
	offers profil attach -p "" : $rare $$ && offers profil attach -p $rare : \
		$rare && only profil attach a_rare : a_rare_name
	processes=$?
	kill $rare
	return $processes
}

files() {
	mkdir -p files
	touch files/one.pb.gz "files/two words"
	only profil report -i files/o : files/one.pb.gz &&
		only profil html -o files/one : files/one.pb.gz &&
		only profil run --control fifo:files/o : files/one.pb.gz &&
		offers profil report --debug-dir fil : files &&
		only profil report -n "" :
	offers profil report -i files/t : && [ "${COMPREPLY[0]}" = "files/two words" ]
}

# The program is what is neither an option nor an option's value.
programs() {
	offers profil run -- lsbl : lsblk && offers profil run -d 3 -q lsbl : \
		lsblk && offers profil run -r lsbl : && [ ${#COMPREPLY[@]} = 0 ] &&
		only profil run -q ls files/o : files/one.pb.gz &&
		only profil run ls --by :
}

# The shell itself has loaded it.
by_the_shell() {
	complete -p profil | grep -q -- '-F _profil profil'
}

check "complete_commands_are_those_of_help" commands
check "complete_options_of_each_command" options
check "complete_every_option_of_every_help" all_options
check "complete_values_of_options" values
check "complete_processes_by_pid_and_name" processes
check "complete_files_and_directories" files
check "complete_program_behind_the_options_of_run" programs
check "complete_profil_is_bound" by_the_shell
finish
