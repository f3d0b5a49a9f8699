# SPDX-License-Identifier: MIT
# A platform file with another value, or list of values separated by blanks, of one key:
#   awk -v section="[host]" -v key=launch_ns -v values="1 2" -f tests/edit_platform.awk FILE
/^\[/ { on = $0 == section }
on && $1 == key && /=/ {
	n = split(values, value, " ")
	print key " = " value[1]
	for (k = 2; k <= n; k++)
		print "\t" value[k]
	more = 1
	next
}
more && /^[ \t]/ { next }
{ more = 0; print }
