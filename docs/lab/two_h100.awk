# SPDX-License-Identifier: MIT
# Answers of several kinds against one measurement, by solver and by how GPUs are served. For awk programs behind docs/quantile.awk:
# of=NAME before the tables of each kind of answer, of=measured before the last table; visit= says whose rows count, their median.
BEGIN { FS = "\t" }
/^#/ || !NF { next }
FNR == 1 { for (i in at) delete at[i]; for (i = 1; i <= NF; i++) at[$i] = i; next }
{ key = $at["solver"] "\t" $at["config"] "\t" ("gpus" in at ? $at["gpus"] : 1) }
of != "measured" {
	if (!(of in seen)) { seen[of] = 1; source[++sources] = of }
	if ("note" in at && $at["note"] != "" && $at["note"] != "not calibrated") next # a lower bound, a refusal, a price that was left out
	if ($at["predicted_us"] == "-") next
	us[of, key] = $at["predicted_us"]; low[of, key] = $at["predicted_lo_us"]; high[of, key] = $at["predicted_hi_us"]
	next
}
$at["visit"] ~ visit {
	if (!((source[1], key) in us)) next # not of these lists, or nothing to compare with
	if (!(key in times)) order[++keys] = key
	measured[key, ++times[key]] = $at["core_us"]
}
function how_many(gpus) { return gpus == 1 ? "one GPU" : gpus == 2 ? "two GPUs" : gpus == 4 ? "four GPUs" : gpus " GPUs" }
# What differs in how GPUs are served; families=1: by solver alone.
function kind(solver, config, gpus) {
	if (families && solver ~ /poisson|shape/) solver = "weak ordering"
	if (families || solver != "rbsor" || gpus == 1)
		return solver ", " how_many(gpus)
	if (config ~ /sync=nccl/) return "rbsor, NCCL"
	if (config ~ /timing=thesis/) return "rbsor, every call waited for"
	if (config ~ /sync=graph/) return "rbsor, graphs"
	if (config ~ /sync=one-thread/) return "rbsor, one thread"
	if (config ~ /order=boss-worker/) return "rbsor, threads that serve"
	return "rbsor, " (config ~ /transport=host/ ? "through host memory" : "GPU to GPU")
}
function add(group, of, key,    error, m) {
	m = truth[key]
	if (!((of, key) in us)) return
	error = 100 * (us[of, key] / m - 1)
	bias[group, of] += error
	if (error < 0) error = -error
	all[group, of, ++n[group, of]] = error
	if (m >= low[of, key] + 0 && m <= high[of, key] + 0) inside[group, of]++
}
function line(group, of,    i, sum) {
	sum = 0
	for (i = 1; i <= n[group, of]; i++) sum += list[i] = all[group, of, i]
	i = n[group, of]
	return i ? sprintf("%d | %.1f | %.1f | %.1f | %.1f | %+.1f | %.0f", i, sum / i, quantile(i, 0.5), quantile(i, 0.9), quantile(i, 1),
		bias[group, of] / i, 100 * inside[group, of] / i) : "0 | - | - | - | - | - | -"
}
END {
	for (k = 1; k <= keys; k++) {
		key = order[k]
		for (i = 1; i <= times[key]; i++) list[i] = measured[key, i]
		truth[key] = quantile(times[key], 0.5)
		split(key, word, "\t")
		what = kind(word[1], word[2], word[3])
		if (!(what in known)) { known[what] = 1; kinds[++count] = what }
		for (s = 1; s <= sources; s++) {
			add(what, source[s], key)
			if (what !~ /NCCL/) add("all", source[s], key)
			if (what !~ /NCCL/ && (what ~ /lmsor|jacobi/ && what !~ /mlssor/ || word[1] == "rbsor" && word[2] !~ /kernel=(texture|persistent|store)/))
				add("known", source[s], key)
		}
	}
	for (s = 1; s <= sources; s++) printf "| all but NCCL | %s | %s |\n", source[s], line("all", source[s])
	for (s = 1; s <= sources; s++) printf "| lmsor, jacobi, rbsor but texture, persistent, store | %s | %s |\n", source[s], line("known", source[s])
	for (g = 1; g <= count; g++) for (s = 1; s <= (families ? sources : 2); s++)
		printf "| %s | %s | %s |\n", kinds[g], source[s], line(kinds[g], source[s])
}
