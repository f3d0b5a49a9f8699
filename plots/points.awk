# SPDX-License-Identifier: MIT
# build/validation.tsv -> one row a prediction, its configuration spelled out in columns, sorted by the caller.
# Output columns are in `header`; n is the side of a square grid, or 0. Times are of the core loop, in us.
BEGIN {
	FS = OFS = "\t"
	print "set", "split", "model", "gpus", "n", "points", "precision", "kernel", "scheme", "border", "transport", "iterations", \
		"measured_us", "predicted_us", "lo_us", "hi_us", "error_pct", "config"
}
FNR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
{
	count = split($column["config"], word, " ")
	delete key
	for (i = 1; i <= count; i++) {
		at = index(word[i], "=")
		key[substr(word[i], 1, at - 1)] = substr(word[i], at + 1)
	}
	split(key["size"], side, "x")
	lo = $column["predicted_lo_us"]; hi = $column["predicted_hi_us"]
	print $column["set"], $column["split"], $column["model"], $column["gpus"], side[1] == side[2] ? side[1] : 0, side[1] * side[2], \
		key["precision"], key["kernel"], key["scheme"], key["border"], key["transport"], key["iterations"], \
		$column["measured_us"], $column["predicted_us"], lo == "-" ? "NaN" : lo, hi == "-" ? "NaN" : hi, \
		$column["error_pct"], $column["config"]
}
