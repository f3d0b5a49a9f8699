# SPDX-License-Identifier: MIT
# build/validation.tsv with what its configurations say (`warpreel columns`, names in plots.mk) -> the set `kernels`, one row a configuration and model, sorted by the caller. `kernel` is the kernel with what
# it was built for or how long its loop is ("-" for the kernels unseen_*: their points are shown, their names are not), n the size as
# its option has it. Times are of one launch, in us.
BEGIN {
	FS = OFS = "\t"
	print "split", "model", "solver", "kernel", "n", "block", "measured_us", "predicted_us", "error_pct", "config", "square"
}
FNR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
$column["set"] == "kernels" {
	split("", key)
	for (name in column)
		key[name] = $column[name]
	side = key["rows"] != "-" ? key["rows"] : key["size"]
	name = key["kernel"] (key["precision"] != "-" ? " " key["precision"] : "") (key["work"] > 0 ? ", work " key["work"] : "")
	if (key["check"] != "-" && key["check"] != "1000") # lists of sweeps alone: 1000 takes none
		name = name ", norm"
	# How many iterations a launch makes.
	if (key["kernel"] == "temporal" && key["depth"] != "-")
		name = name ", depth " key["depth"]
	if (key["kernel"] ~ /^persistent/ && key["iterations"] != "-")
		name = name ", " key["iterations"] " its"
	if (key["form"] != "-")
		name = name " " key["form"]
	if (key["layers"] != "-")
		name = name ", " key["layers"] " layers"
	unseen = key["kernel"] ~ /^unseen/
	print $column["split"], $column["model"], unseen ? "-" : $column["solver"], unseen ? "-" : name, unseen ? "NaN" : side, key["block"], \
		$column["measured_us"], $column["predicted_us"], $column["error_pct"], unseen ? "-" : $column["config"], key["rows"] == key["columns"] ? "yes" : "no"
}
