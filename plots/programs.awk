# SPDX-License-Identifier: MIT
# Of a table as `warpreel validate` writes it: programs of others, a row each, with what their recordings say.
BEGIN { FS = OFS = "\t"; print "bound", "set", "program", "split", "measured_us", "predicted_us", "lo_us", "hi_us", "traced_us" }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["set"] != "foreign" && $at["set"] != "public" && $at["set"] != "python" { next }
$at["model"] == "as-recorded" { traced[$at["set"], $at["solver"]] = $at["predicted_us"] }
$at["model"] == "default" {
	n++
	key[n] = $at["set"] SUBSEP $at["solver"]
	bound = $at["class"]
	sub(/^foreign-/, "", bound)
	row[n] = bound OFS $at["set"] OFS $at["solver"] OFS $at["split"] OFS $at["measured_us"] OFS $at["predicted_us"] OFS \
		$at["predicted_lo_us"] OFS $at["predicted_hi_us"]
}
END { for (k = 1; k <= n; k++) print row[k], traced[key[k]] }
