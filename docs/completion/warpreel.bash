# SPDX-License-Identifier: MIT
# bash completion for warpreel. It asks the program itself: commands from `warpreel --help`, options and the words they take from
# `warpreel COMMAND --help`. There is nothing here to keep in step.

_warpreel()
{
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} help takes words
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		words="$("$program" --help 2>/dev/null | awk '/^  [a-z]/ { print $1 }') --help --version"
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
		return
	fi
	help=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null) || return
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(awk '/^  -/ { print $1 }' <<<"$help")" -- "$word")
		return
	fi
	# What the option before the cursor takes: one space, then words in lower case, or a name in capitals.
	takes=$(awk -v option="$before" '$1 == option && /^  -[-a-z]+ [^ ]/ { print $2 }' <<<"$help")
	if [[ $takes =~ ^[-a-z0-9\|]+$ ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${takes//|/ }" -- "$word")
	elif [[ -z $takes && $COMP_CWORD == 2 && $help =~ ^usage:\ warpreel\ [a-z]+\ SOLVER ]]; then
		# A solver follows: the message about an unknown one lists them.
		words=$("$program" "${COMP_WORDS[1]}" '?' 2>&1 | sed -n 's/.*there is: *//p')
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	elif [[ -z $takes || $takes =~ FILE|TRACE|SPOOL|LIBRARY|LIST ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -o filenames -F _warpreel warpreel
