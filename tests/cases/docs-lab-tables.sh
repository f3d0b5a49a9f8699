# Tables of the notebook are what their script makes of the data that ship.
lab=$root/docs/lab
same() { # "TABLE OPTIONS" PAGE
	# shellcheck disable=SC2086 # several words
	sh "$lab/lab_tables.sh" $1 | grep '^|' | while IFS= read -r row; do grep -qF -- "${row%|}" "$lab/$2" || echo "$2 has not: $row"; done
}
same drawn3 splits.md
same drawn12 splits.md
same "kinds JO" splits.md
same "kinds JR" splits.md
same machines splits.md
same widths splits.md
same regions kernels.md
same parts kernels.md
same wavefront kernels.md
same streams kernels.md
same solver-widths splits.md
same kernel-streams kernels.md
same skew kernels.md
sh "$lab/lab_tables.sh" skew | sed -n 's/^sm.skew_share: //p' | grep -qxF "$(sed -n 's/^skew_share = //p' "$root/model/platforms/h200x4.ini")" || echo "h200x4.ini: skew_share is not what phases.tsv says"
same word weak.md
same foreign-kernels programs.md
same two-h100 devices.md
same virtual as-gpus.md
# Of four H100 the pages have some of the rows: each of theirs is made again.
made() { # PAGE FIRST LAST COMMAND...: rows of a page from FIRST to LAST, less what stands on the page alone
	page=$lab/$1 first=$2 last=$3
	shift 3
	sh "$lab/lab_tables.sh" "$@" | sed 's/all but NCCL/all of them/; s/[` ]//g' > made.tsv
	sed -n "/$first/,/$last/p" "$page" | grep '^| [`a-z0-9]' | grep -v -e '^| runs' -e '^| size' | sed 's/[` ]//g' | while IFS= read -r row; do
		grep -qF -- "$row" made.tsv || echo "$page: not made: $row"
	done
}
made devices.md '^..Three more blind lists' '^Baselines: the roofline on the same 65' four-later
made devices.md '^What four are worth against' '^Ten grids' four-scaling h100x4
same choices choices.md
same scaling choices.md
rounds=$(sh "$lab/lab_tables.sh" rounds JO JR JT)
grep -qF -- "The last three rounds, $rounds;" "$root/README.md" || echo "README.md has not: $rounds"
first=$(sh "$lab/lab_tables.sh" rounds JO | grep -o '[0-9.]* % off')
grep -qF -- "; ${first% off} without the last two" "$root/README.md" || echo "README.md has not: $first"
sh "$lab/lab_tables.sh" drawn3 | tail -n 1
refuses sh "$lab/lab_tables.sh"
# What was answered for kernels of public programs is answered again of what ships, and not far from what it was that day.
data=$root/traces/data
WARPREEL=$warpreel sh "$data/programs/kernels_answered.sh" "$data/h200x4/foreign" | awk -F '\t' '
	NR == FNR { if (NR > 1) { rows++; again[$2, $3] = $9; roofline[$2, $3] = $10 } next }
	($2, $3) in again && ($9 / again[$2, $3] > 1.15 || again[$2, $3] / $9 > 1.15) { print $3 ": " $9 ", now " again[$2, $3] }
	($2, $3) in again && $10 != "-" && ($10 / roofline[$2, $3] > 1.05 || roofline[$2, $3] / $10 > 1.05) { print $3 ": roofline " $10 ", now " roofline[$2, $3] }
	END { print rows " kernels answered again" }' - "$data/h200x4/foreign_kernels.tsv"
