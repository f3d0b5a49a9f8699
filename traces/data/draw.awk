# SPDX-License-Identifier: MIT
# Drawing by chance, the same everywhere: before the text of an awk program that has set `seed` (draw_passes.sh, draw_gpus.sh).

# 0 to 1 (Park and Miller, Commun. ACM 31, 1988).
function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
# Log-uniform.
function side(least, most) { return int(least * exp(draw() * log(most / least)) + 0.5) }
# One of the words of `text`; a word that stands there twice comes twice as often.
function pick(text, words) { return words[int(draw() * split(text, words, " ")) + 1] }
# The first numbers of small seeds are small ones.
function begin(k) {
	for (k = 0; k < 20; k++)
		draw()
}
