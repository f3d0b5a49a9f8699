#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes docs/papers/003.md from the table that kernels/weak/paper_003.sh made.
#   sh docs/weak_003.sh traces/data/papers/003_cosimulated.tsv >docs/papers/003.md
set -eu
export LC_ALL=C
table=$1

# pick FIGURE SCHEME N L COLUMN
pick() { awk -F '\t' -v f="$1" -v s="$2" -v n="$3" -v l="$4" -v c="$5" '$1 == f && $3 == s && $4 == n && $5 == l { print $c; exit }' "$table"; }

# rows FIGURE AXIS: steps and seconds of every scheme, a line a scheme, a column a value of the axis (4: n, 5: l).
rows() {
	awk -F '\t' -v f="$1" -v axis="$2" '
		$1 == f { if (!($axis in at)) { at[$axis] = 1; value[++values] = $axis } if (!($3 in seen)) { seen[$3] = 1; scheme[++schemes] = $3 }
			cell[$3, $axis] = sprintf("%d, %.3f", $6, $7) }
		END {
			for (i = 1; i < values; i++) for (j = i + 1; j <= values; j++) if (value[j] + 0 < value[i] + 0) { t = value[i]; value[i] = value[j]; value[j] = t }
			printf "| scheme |"; for (i = 1; i <= values; i++) printf " %s = %s |", (axis == 4 ? "n" : "l"), value[i]
			printf "\n|---|"; for (i = 1; i <= values; i++) printf "---:|"; print ""
			for (s = 1; s <= schemes; s++) { printf "| %s |", scheme[s]; for (i = 1; i <= values; i++) printf " %s |", ((scheme[s], value[i]) in cell ? cell[scheme[s], value[i]] : "-"); print "" }
		}' "$table"
}

# statement TEXT A B: whether A < B.
statement() { echo "| $1 | $2 | $3 | $(awk -v a="$2" -v b="$3" 'BEGIN { print (a == "" || b == "" ? "not computed" : a + 0 < b + 0 ? "yes" : "no") }') |"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.1f", a / b; else printf "-" }'; }
seconds() { pick 7 "$1" "${2:-60}" 4 7; }
steps() { pick 7 "$1" "${2:-60}" 4 6; }

base=$(pick 7 base 1 4 7)
cat <<END
# Paper 003: weak execution ordering

J. Chen, Z. Huang, F. Su, J.-K. Peir, J. Ho, L. Peng, *Weak Execution Ordering - Exploiting Iterative Methods on Many-Core GPUs*. Its two
applications are \`warpreel solve poisson\` and \`warpreel solve shape\`; its eight schemes are \`--scheme\`.

**Nothing on this page is measured.** It was co-simulated (\`warpreel predict poisson --co-simulate --costs c1060\`): every block's update
runs at the simulated time at which its values arrive, on 30 places that take blocks in order, with the cycles the paper prints for its Tesla
C1060 (\`model/cosim/c1060.tsv\`). The time of a round through the host is not printed; it was made of Base's "about 5 times", so that the
ratio to Base's *time* is no prediction, while every count of steps and every order among the others is. No GPU has run the CUDA
kernels yet; on the emulated GPU they come to the reference.

What differs from the paper: 480 x 120 nodes in 15 x 6 blocks, 30 of them at a time, not 480 x 480 in 15 x 24, for the time it takes; the pictures, which the paper
does not give; the threshold, which it does not print. A run ends when the error is below 60 grey levels by the bound residual / (1 - rho), tested
after each synchronization with the host. That matters: by the residual alone Base would stop after 80 steps at 480 x 480 and the others after thousands, since borders
that come late keep it up. One seed each. In-block order: red nodes, then black ones, since the paper leaves it open.

## Base and the seven, by the interval n of host synchronization (Figs. 7, 8): steps, seconds

$(rows 7 4)

Base takes $(ratio "$base" "$(seconds 4w-square)") times as long as 4W-comm-square at n = 60, and $(ratio "$base" "$(seconds 4w-combine-square)") times as long as 4W-comm-combine-square; the paper: 53.6 s to 11.4 s,
$(ratio 53.6 11.4) times.

| the paper says | left | right | holds |
|---|---:|---:|---|
$(statement "Base takes the fewest steps: fewer than 4W square" "$(steps base 1)" "$(steps 4w-square)")
$(statement "4W square is faster than 4W stripe (s)" "$(seconds 4w-square)" "$(seconds 4w-stripe)")
$(statement "4W stripe is faster than UD stripe (s)" "$(seconds 4w-stripe)" "$(seconds ud-stripe)")
$(statement "square can lower the performance of UD: UD stripe is faster than UD square (s)" "$(seconds ud-stripe)" "$(seconds ud-square)")
$(statement "UD stripe is faster than Coarse (s)" "$(seconds ud-stripe)" "$(seconds coarse)")
$(statement "Coarse is faster than Base (s)" "$(seconds coarse)" "$base")
$(statement "4W square with n = 100 is within a fifth of n = 20 (s)" "$(seconds 4w-square 100)" "$(awk -v a="$(seconds 4w-square 20)" 'BEGIN { if (a) print 1.2 * a }')")

With 15 x 12 blocks (480 x 240 nodes), where only these were run, at n = 60, 4W stripe took 58620 steps and 4W square 64680: which of the two
is better depends on the shape of the grid.

## By the interval l of exchange, at n = 60 (Figs. 11 to 13; there of 3D-Shape, here of Poisson)

$(rows 11 5)

| the paper says | left | right | holds |
|---|---:|---:|---|
$(for s in ud-square 4w-square 4w-combine-square; do
	statement "$s: l = 4 is faster than l = 1 (s)" "$(pick 11 $s 60 4 7)" "$(pick 11 $s 60 1 7)"
	statement "$s: l = 4 is faster than l = 8 (s)" "$(pick 11 $s 60 4 7)" "$(pick 11 $s 60 8 7)"
done)
$(statement "at l = 1 combining makes 4W faster (s)" "$(pick 11 4w-combine-square 60 1 7)" "$(pick 11 4w-square 60 1 7)")

## What is missing

Figs. 1 and 2 (breadth-first search), Figs. 9 and 10 (3D-Shape), Fig. 14 (threads), measurements of any kind: staleness, limited residency, the persistent kernels beside CUDA graphs.
Fig. 1 as printed never ends: \`Finish = false\` stands outside of the if.
END
