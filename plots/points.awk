# SPDX-License-Identifier: MIT
# build/validation.tsv with what its configurations say (`warpreel columns`, names in plots.mk) -> one row a prediction, sorted by the caller.
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
function said(name) { return $column[name] == "-" ? "" : $column[name] }
{
	lo = $column["predicted_lo_us"]; hi = $column["predicted_hi_us"]
	print $column["set"], $column["split"], $column["model"], $column["gpus"], said("rows") == said("columns") ? said("rows") : 0, said("rows") * said("columns"), \
		said("precision"), said("kernel"), said("scheme"), said("border"), said("transport"), said("iterations"), \
		$column["measured_us"], $column["predicted_us"], lo == "-" ? "NaN" : lo, hi == "-" ? "NaN" : hi, \
		$column["error_pct"], $column["config"]
}
