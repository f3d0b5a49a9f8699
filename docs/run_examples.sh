#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the examples of a document again and puts in what they print. An example lies between the lines "<!-- example: begin" and
# "<!-- example: end -->": indented lines, of which those that begin with "$ " are commands, each followed by its output.
#   WARPREEL=PROGRAM run_examples.sh DOCUMENT.md
set -eu
document=$1
: "${WARPREEL:?the program to run}"
new=$document.new-$$
trap 'rm -f "$new"' EXIT
warpreel() { "$WARPREEL" "$@"; }
inside=
while IFS= read -r line; do
	case $line in
	'<!-- example: begin'*)
		inside=yes
		printf '%s\n' "$line"
		;;
	'<!-- example: end'*)
		inside=
		printf '%s\n' "$line"
		;;
	'    $ '*)
		printf '%s\n' "$line"
		[ "$inside" != "" ] || continue
		said=$(eval "${line#    \$ }" </dev/null)
		printf '%s\n' "$said" | sed 's/^/    /; s/ *$//'
		;;
	*) [ "$inside" != "" ] || printf '%s\n' "$line" ;;
	esac
done <"$document" >"$new"
cmp -s "$new" "$document" || cat "$new" >"$document"
