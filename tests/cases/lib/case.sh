# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What every golden case starts with.

# What the program is called in a case; the messages name it the same whatever it is built as.
warpreel() { "${warpreel:?}" "$@"; }

# The subcommands, one a line.
commands() { sed -n 's/^COMMAND(\([a-z_]*\),.*/\1/p' "${root:?}/traces/program/commands.def"; }

# Runs a command that must fail: shows its message and its exit code among the output.
refuses() {
	"$@" 2>&1
	echo "exit $?"
}

# Columns of a table by name: columns solver,gpus,checksum <table
columns() {
	awk -F '\t' -v names="$1" 'NR == 1 { n = split(names, name, ","); for (i = 1; i <= NF; i++) at[$i] = i }
	{ line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "\t" : "") (name[i] in at ? $at[name[i]] : "no column " name[i]); print line }'
}

# The checksum of a run on the cpu machine.
checksum() { warpreel solve rbsor --backend cpu --format tsv "$@" | columns checksum | tail -n 1; }

# A small predicted trace, which needs no GPU and no shipped data: predicted FILE [option...]
predicted() {
	local file=$1
	shift
	warpreel predict rbsor --platform "${platform:?}" --kernel-model roofline --size 512 --iterations 8 -o "$file" --format tsv "$@" >/dev/null
}

# What is in the scratch folder, one name a line.
left_behind() { find . -mindepth 1 | sort; }
