# Tables of the notebook are what their script makes of the data that ship.
lab=$root/docs/lab
same() { # TABLE PAGE
	sh "$lab/lab_tables.sh" "$1" | grep '^|' | while IFS= read -r row; do grep -qF -- "${row%|}" "$lab/$2" || echo "$2 has not: $row"; done
}
same drawn3 splits.md
same foreign-kernels programs.md
same choices choices.md
same scaling choices.md
sh "$lab/lab_tables.sh" drawn3 | tail -n 1
refuses sh "$lab/lab_tables.sh"
