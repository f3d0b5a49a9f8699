# SPDX-License-Identifier: MIT
# For awk programs of the pages: awk "$(cat docs/quantile.awk)"'...'. list[1..n] is sorted here.
function sort(n,    i, j, value) {
	for (i = 2; i <= n; i++) {
		value = list[i]
		for (j = i - 1; j > 0 && list[j] > value; j--)
			list[j + 1] = list[j]
		list[j + 1] = value
	}
}
# Linear between order statistics.
function quantile(n, share,    at, below) {
	sort(n)
	at = 1 + share * (n - 1)
	below = int(at)
	return below < n ? list[below] + (at - below) * (list[below + 1] - list[below]) : list[n]
}
# Values whose key is `key`, of n, into list; how many.
function gather(n, keys, values, key,    i, m) {
	for (i = 1; i <= n; i++)
		if (keys[i] == key)
			list[++m] = values[i]
	return m + 0
}
