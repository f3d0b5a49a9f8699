# SPDX-License-Identifier: MIT
# Strong scaling by family: of configurations that ran on one GPU and on four, how much faster more GPUs are.
#   awk -v visit=V -f families.awk PREDICTED... MEASURED, tables of answer.sh and of batch
# Columns: panel (1: drawn runs of all families; 2: red-black SOR by its fastest ways), label, gpus; measured and predicted: how much
# faster than one GPU, each by itself. A row that has no answer, or a lower bound, is predicted as NaN.
BEGIN {
	FS = OFS = "\t"
	print "panel", "label", "gpus", "measured", "predicted"
}
/^#/ { next }
FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
{ key = $at["solver"] FS $at["config"] }
"predicted_us" in at { answered[key, $at["gpus"]] = $at["note"] == "" ? $at["predicted_us"] : 0; next }
$at["visit"] == visit && (key, $at["gpus"]) in answered {
	if (!(key in seen)) { seen[key] = 1; order[++count] = key }
	times[key, $at["gpus"]] = $at["core_us"]
}
function word(text, name) {
	text = " " text
	return match(text, " " name "=[^ ]*") ? substr(text, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : ""
}
function label(solver, config,    size, side) {
	size = word(config, solver == "patches" ? "patches" : "size")
	split(size, side, "x")
	if (side[1] == side[2]) size = side[1]
	if (word(config, "kernel") == "temporal")
		return size " " word(config, "precision") ", " word(config, "depth") " a pass"
	return solver (word(config, "kernel") == "" ? "" : " " word(config, "kernel")) ", " size
}
END {
	for (k = 1; k <= count; k++) {
		key = order[k]
		split(key, part, FS)
		if (!((key, 1) in times) || !((key, 4) in times)) continue
		for (gpus = 1; gpus <= 4; gpus *= 2) if ((key, gpus) in times)
			print key ~ /size=(16384|32768)x/ ? 2 : 1, label(part[1], part[2]), gpus, times[key, 1] / times[key, gpus],
				answered[key, 1] && answered[key, gpus] ? answered[key, 1] / answered[key, gpus] : "NaN"
	}
}
