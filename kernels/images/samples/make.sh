#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures of this folder, drawn anew: a ball on sand with its mask, a pool to clone it into, and a vase with its outline.
#   sh kernels/images/samples/make.sh [folder]     (WARPREEL: the program, which turns PPM into PNG)
set -eu
to=${1:-$(dirname "$0")}
warpreel=${WARPREEL:-build/warpreel}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# picture NAME WIDTH HEIGHT CHANNELS RULE: the rule is awk that sets v[1..CHANNELS] from x and y.
picture() {
	awk -v w="$2" -v h="$3" -v n="$4" '
	function abs(a) { return a < 0 ? -a : a }
	function noise(a, b) { a = sin(a * 12.9898 + b * 78.233) * 43758.5453; return a - int(a) }
	BEGIN {
		printf "P%d\n%d %d\n255\n", n == 3 ? 3 : 2, w, h
		for (y = 0; y < h; y++)
			for (x = 0; x < w; x++) {
				'"$5"'
				for (k = 1; k <= n; k++)
					printf "%d ", (v[k] < 0 ? 0 : v[k] > 255 ? 255 : int(v[k] + 0.5))
				print ""
			}
	}' >"$scratch/$1.ppm"
}

# Any picture cloned into itself is itself: that is how it becomes a PNG.
png() {
	awk -v w="$2" -v h="$3" 'BEGIN {
		printf "P2\n%d %d\n255\n", w, h
		for (k = 0; k < w * h; k++) print k == w + 1 ? 255 : 0
	}' >"$scratch/one.pgm"
	"$warpreel" solve poisson --source "$scratch/$1.ppm" --target "$scratch/$1.ppm" --mask "$scratch/one.pgm" -o "$to/$1.png" >/dev/null
}

# Distance from the middle of the ball, in its radius.
ball='r = sqrt((x - 35.5) ^ 2 + (y - 35.5) ^ 2) / 22; '
picture ball 72 72 3 "$ball"'
	sand = 14 * noise(x, y)
	v[1] = 214 + sand; v[2] = 186 + sand; v[3] = 138 + sand
	if ((x - 50) ^ 2 / 700 + (y - 58) ^ 2 / 60 < 1) for (k = 1; k <= 3; k++) v[k] *= 0.8
	if (r < 1) {
		nx = (x - 35.5) / 22; ny = (y - 35.5) / 22; nz = sqrt(1 - r * r)
		lit = 0.35 + 0.75 * (-0.5 * nx - 0.6 * ny + 0.62 * nz); lit = lit < 0.2 ? 0.2 : lit
		stripe = sin(4 * atan2(ny + 0.3 * nz, nx)) > 0
		v[1] = 250 * lit; v[2] = (stripe ? 240 : 60) * lit; v[3] = (stripe ? 230 : 40) * lit
	}'
picture ball_mask 72 72 1 "$ball v[1] = r < 1.25 ? 255 : 0"
picture pool 180 135 3 '
	a = x / 16 + 1.3 * sin(y / 13); b = y / 12 + 1.2 * sin(x / 15 + 1)
	net = (1 - abs(sin(a))) ^ 3 + (1 - abs(sin(b + 0.4 * a))) ^ 3
	deep = y / 135
	v[1] = 40 + 60 * deep + 70 * net; v[2] = 150 + 40 * deep + 60 * net; v[3] = 190 + 15 * deep + 40 * net'
# A surface of revolution under light from the upper left (kernels/shape/shape_scene.c).
vase='Y = (2 * y + 1) / h - 1; X = (2 * x + 1) / h - w / h; per = 1.3 * 3.14159265358979 / 0.85
	end = 1 - (Y / 0.85) ^ 8; inside = 0
	if (end > 0) {
		body = 0.36 + 0.18 * cos(per * (Y - 0.2)); R = body * sqrt(end)
		slope = -0.18 * per * sin(per * (Y - 0.2)) * sqrt(end) - body * 4 * (Y / 0.85) ^ 7 / (0.85 * sqrt(end))
		inside = X * X < R * R
	}'
picture vase 128 160 1 "$vase"'
	v[1] = 0
	if (inside) v[1] = 255 * (-0.4 * X / R + 0.4 * slope + sqrt(1 - X * X / (R * R))) / sqrt(1 + slope * slope) / sqrt(1.32)'
picture vase_mask 128 160 1 "$vase v[1] = inside ? 255 : 0"

for name in ball:72:72 ball_mask:72:72 pool:180:135 vase:128:160 vase_mask:128:160; do
	# shellcheck disable=SC2046,SC2086 # three words
	png $(echo $name | tr : ' ')
done
