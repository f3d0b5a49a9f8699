#!/bin/sh
# SPDX-License-Identifier: MIT
# Red-black SOR by every kernel, in strips and blocks on 1 to 8 GPUs, by every way to wait, order to serve neighbours and memory to stage in,
# on GPUs that share this machine's: each result must be what host threads make of it on one, bit for bit.
set -eu
build=${BUILD:-build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk 'function line(gpus, size, word, kernel, border, transport, more) {
		printf "rbsor %d size=%s precision=%s kernel=%s scheme=exact border=%d transport=%s iterations=23%s\n", gpus, size, word, kernel, border, transport, more }
	BEGIN {
		sizes = split("131x203 258x140", size, " "); words = split("f32 f64", word, " ")
		kernels = split("paper;tuned;fused;temporal depth=2;temporal depth=4;temporal depth=6;temporal depth=8", kernel, ";")
		cuts = split("1 strips;2 strips;3 strips;4 strips;6 strips;8 strips;2 1x2;4 2x2;4 1x4;6 3x2;8 2x4;8 4x2", cut, ";")
		peers = split("-;sync=condition;sync=one-thread;sync=graph;order=free", peer, ";")
		hosts = split("-;sync=spin;sync=one-thread;staging=pageable", host, ";")
		for (s = 1; s <= sizes; s++) for (w = 1; w <= words; w++) {
			line(1, size[s], word[w], "persistent", 1, "peer", "")
			for (k = 1; k <= kernels; k++) for (c = 1; c <= cuts; c++) {
				split(cut[c], part, " ")
				if (kernel[k] == "tuned" && part[2] != "strips") continue
				split(kernel[k], words_of, " ")
				more = (words_of[2] != "" ? " " words_of[2] : "") (part[2] != "strips" ? " partition=" part[2] : "")
				n++
				a = peer[n % peers + 1]; b = host[n % hosts + 1]
				line(part[1], size[s], word[w], words_of[1], n % 3 + 1, "peer", more (a != "-" ? " " a : ""))
				line(part[1], size[s], word[w], words_of[1], n % 2 + 1, "host", more (b != "-" ? " " b : ""))
			}
		}
	}' >"$folder/parts.list"
"$build/warpreel" batch "$folder/parts.list" --backend cpu --gpus 1 --repeat 1 >"$folder/cpu.tsv" 2>/dev/null || true
WARPREEL_SHARE_GPUS=1 "$build/warpreel" batch "$folder/parts.list" --backend cuda --gpus 8 --repeat 2 --warm-up-ms 0 >"$folder/cuda.tsv"
awk -F '\t' -v lines="$(wc -l <"$folder/parts.list")" '
	FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ split($at["config"], word, " "); key = word[1] " " word[2] }
	NR == FNR { expected[key] = $at["checksum"]; next }
	{ n++; if ($at["checksum"] != expected[key]) { bad++; print "differs: " $at["config"] " on " $at["gpus"] } }
	END { printf "%d runs of %d, %d differ\n", n, lines, bad; exit bad || n != lines }' "$folder/cpu.tsv" "$folder/cuda.tsv"
