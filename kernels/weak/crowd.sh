#!/bin/sh
# SPDX-License-Identifier: MIT
# What blocks of one multiprocessor take of each other (step_busy_ns, exchange_busy_ns, crowd, crowd_later and crowd_exchange of model/cosim/h200.tsv), by least
# squares over a table of phases: from a start downhill, each number by turns, until none gets better by 2 % of itself.
#   sh kernels/weak/crowd.sh [TABLE]     (default: traces/data/h200x4/papers_003_crowd.tsv)
# A row: a phase of so many steps takes alone_ns where nobody else is, and phase_ns where `there` blocks are, of the one that came as number `rank`
# (from 0); of it an exchange has that share. Rank `all`: until each of them has made its steps, with nobody beside those that are left.
# The law: alone (1 + crowd x / (1 - x) + crowd_later y), x what blocks before occupy of the multiprocessor, with step_busy_ns a step and
# exchange_busy_ns an exchange of four borders (of two their share of nodes), y what those after it do.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
for solver in poisson shape; do
	awk -F '\t' -v solver="$solver" '
		NR > 1 && $1 == solver { n++; steps[n] = $3; share[n] = $4; alone[n] = $5; there[n] = $6; rank[n] = $7; seen[n] = $8; moves[n] = $2 == "coarse" ? 0 : $2 ~ /^ud/ ? 64 / 104 : 1 }
		# phase[]: of each block there, in the state that lasts
		function settle(k, count, busy, moved, crowd, later,    turn, r, o, x, y, next_) {
			for (r = 0; r < count; r++) phase[r] = alone[k]
			for (turn = 0; turn < 40; turn++) {
				for (r = 0; r < count; r++) {
					x = y = 0
					for (o = 0; o < count; o++) {
						next_ = (steps[k] * busy + moves[k] * moved) / phase[o]
						if (next_ > 1) next_ = 1
						if (o < r) x += next_
						if (o > r) y += next_
					}
					if (x > 0.95) x = 0.95
					target[r] = alone[k] * (1 + crowd * x / (1 - x) + later * y)
				}
				for (r = 0; r < count; r++) phase[r] = (phase[r] + target[r]) / 2
			}
		}
		function until_all(k, busy, moved, crowd, later,    gone, r, least, time, left) {
			for (r = 0; r < there[k]; r++) left[r] = 1
			for (gone = 0; gone < there[k]; gone++) { # who came first is done first
				settle(k, there[k] - gone, busy, moved, crowd, later)
				least = left[gone] * phase[0]
				for (r = gone; r < there[k]; r++) left[r] -= least / phase[r - gone]
				time += least
			}
			return time
		}
		# root of the mean square of what phases differ by, relative
		function error(at,    k, sum, weights, scale, got, weight) {
			for (k = 1; k <= n; k++) {
				scale = 1 - share[k] + share[k] * at["crowd_exchange"]
				if (rank[k] == "all") { got = until_all(k, at["step_busy_ns"], at["exchange_busy_ns"], at["crowd"], at["crowd_later"]); weight = 3 }
				else { settle(k, there[k], at["step_busy_ns"], at["exchange_busy_ns"], at["crowd"] * scale, at["crowd_later"] * scale); got = phase[rank[k]]; weight = 1 }
				sum += weight * (got / seen[k] - 1) ^ 2
				weights += weight
			}
			return sqrt(sum / weights)
		}
		END {
			count = split("step_busy_ns exchange_busy_ns crowd crowd_later crowd_exchange", name, " ")
			split(solver == "shape" ? "250 150 0.6 0.3 0.9" : "66 80 0.3 0.3 0.9", start, " ")
			for (i = 1; i <= count; i++) at[name[i]] = start[i]
			best = error(at)
			for (step = 0.3; step > 0.02; step = better ? step : step / 2) {
				better = 0
				for (i = 1; i <= count; i++)
					for (way = 0; way < 2; way++) {
						kept = at[name[i]]
						at[name[i]] = way ? kept / (1 + step) : kept * (1 + step)
						if (at["crowd_exchange"] > 1) at["crowd_exchange"] = 1
						now = error(at)
						if (now < best - 1e-6) { best = now; better = 1 } else at[name[i]] = kept
					}
			}
			printf "%.4f\t%s\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\n", best, solver, at["step_busy_ns"], at["exchange_busy_ns"], at["crowd"], at["crowd_later"], at["crowd_exchange"]
		}' "${1:-$root/traces/data/h200x4/papers_003_crowd.tsv}"
done | awk 'BEGIN { print "rms\tsolver\tstep_busy_ns\texchange_busy_ns\tcrowd\tcrowd_later\tcrowd_exchange" } { print }'
