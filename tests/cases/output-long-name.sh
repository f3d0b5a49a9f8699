# A file may be called whatever the system allows, though it has another name while it is written; a longer one is refused before the work.
name() { printf "%0*d.$2" $(($1 - 1 - ${#2})) 0; }
for length in 240 246 252 255; do
	for kind in wrt wrt.zst; do
		predicted "$(name $length $kind)" && warpreel info "$(name $length $kind)" | wc -l
	done
done
predicted one.wrt
warpreel dump one.wrt -o "$(name 255 txt)" && wc -l <"$(name 255 txt)"
mkdir folder
warpreel dump one.wrt -o "folder/$(name 254 txt)" && wc -l <"folder/$(name 254 txt)"
predicted "$(name 256 wrt)" 2>&1 | sed 's/000*/.../'
left_behind | sed 's/.*\.//' | sort | uniq -c
