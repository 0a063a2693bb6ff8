# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of profil for bash.  Commands and options are what the command's own
# --help has, so that this file knows no list of them.

# The processes that attach may take: pids, or the names of commands.
_profil_processes()
{
	local stat pid comm uid=$EUID

	for stat in /proc/[0-9]*; do
		# Another user's are root's to attach to.
		if [[ $uid -ne 0 && ! -O $stat ]]; then
			continue
		fi
		pid=${stat#/proc/}
		if [[ $1 == pids ]]; then
			printf '%s\n' "$pid"
		elif { read -r comm <"$stat/comm"; } 2>/dev/null; then
			printf '%s\n' "$comm"
		fi
	done
}

# Takes the words of standard input that begin as the current one does.
_profil_take()
{
	local word

	while IFS= read -r word; do
		if [[ $word == "$1"* ]]; then
			COMPREPLY+=("$word")
		fi
	done < <(sort -u)
}

_profil_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# The options of a command, each with what its value is called: FILE, PID ...
_profil_options()
{
	"$1" "$2" --help 2>/dev/null | awk '
		/^  -/ {
			n = 0
			gsub(/=/, " ")
			for (i = 1; i <= NF && $i ~ /^-/; i++) {
				sub(/,$/, "", $i)
				option[n++] = $i
			}
			value = $i ~ /[A-Z][A-Z]|^N$/ ? $i : ""
			for (i = 0; i < n; i++)
				print option[i], value
		}'
}

_profil_value()
{
	_profil_options "$1" "$2" |
		awk -v option="$3" '$1 == option { print $2; exit }'
}

_profil()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev command=${COMP_WORDS[0]}
	local sub=${COMP_WORDS[1]-} i value

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_profil_take "$cur" < <("$command" --help 2>/dev/null |
			sed -n 's/^  \([a-z]*\) .*/\1/p'
			printf '%s\n' --help --version)
		return
	fi
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	# bash makes three words of --color=WHEN.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [[ $sub == run ]]; then
		for ((i = 2; i < COMP_CWORD; i++)); do
			value=$(_profil_value "$command" run "${COMP_WORDS[i]}")
			if [[ ${COMP_WORDS[i]} == -- ]]; then
				((i++))
				break
			elif [[ ${COMP_WORDS[i]} != -* ]]; then
				break
			elif [[ -n $value ]]; then
				((i++))
			fi
		done
		# What the program takes is the program's.
		if ((i < COMP_CWORD)); then
			if declare -F _command_offset >/dev/null; then
				_command_offset "$i"
			else
				_profil_files "$cur"
			fi
			return
		elif [[ ${COMP_WORDS[i - 1]} == -- ]]; then
			_profil_programs "$cur"
			return
		fi
	fi
	if [[ $prev == -* ]]; then
		_profil_argument "$command" "$sub" "$prev" "$cur" && return
	fi
	if [[ $cur == -* ]]; then
		_profil_take "$cur" < <(_profil_options "$command" "$sub" |
			cut -d ' ' -f 1)
	elif [[ $sub == run ]]; then
		_profil_programs "$cur"
	elif [[ $sub == attach ]]; then
		_profil_take "$cur" < <(_profil_processes names)
	elif [[ $sub == push ]]; then
		_profil_files "$cur"
	fi
}

_profil_programs()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <({ compgen -c -- "$1"; compgen -f -- "$1"; } |
		sort -u)
}

# The value of an option; fails if it has none.
_profil_argument()
{
	local cur=$4

	case $3 in
	--by)
		# The list goes on in lines that name no option.
		_profil_take "$cur" < <("$1" "$2" --help |
			sed -n '/^  --by WHAT/,/^  -/{ s/^  --by WHAT//; /^  -/!p; }' |
			grep -oE '[a-z][a-z-]*' | grep -vx or)
		return
		;;
	--color)
		_profil_take "$cur" < <(printf '%s\n' auto always never)
		return
		;;
	--sort)
		_profil_take "$cur" < <(printf '%s\n' self total)
		return
		;;
	--control)
		_profil_files "${cur#fifo:}"
		return
		;;
	esac
	case $(_profil_value "$1" "$2" "$3") in
	FILE | OUT) _profil_files "$cur" ;;
	DIR)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		;;
	PID) _profil_take "$cur" < <(_profil_processes pids) ;;
	"") return 1 ;;
	esac
}

complete -F _profil profil
