# Well-formed, whole, and every device operation of the trace in it.
predicted one.wrt --gpus 2
warpreel export --to chrome -o one.json one.wrt
head -c 1 one.json; tail -c 2 one.json
# A slice for every call, kernel, copy, note that lasts and run; an arrow from its call to every piece of work.
warpreel dump one.wrt >dump
rows() { grep -c "^$1	" dump; }
slices() { grep '"ph":"X"' one.json | grep -c "\"cat\":\"$1\""; }
phase() { grep -c "\"ph\":\"$1\"" one.json; }
while read -r table category; do
	[ "$(rows $table)" -gt 0 ] && [ "$(rows $table)" = "$(slices $category)" ] && echo "$category: all" || echo "$category: $(slices $category) of $(rows $table)"
done <<-END
	api api
	kernel kernel
	memcpy copy
	run run
END
echo "notes, marks and records: $(($(slices host) + $(phase i) - $(rows host_op) - $(rows event))) too many"
work=$(($(rows kernel) + $(rows memcpy)))
echo "arrows: $(($(phase s) - work)) and $(($(phase f) - work)) too many"
sum=$(($(slices api) + $(slices kernel) + $(slices copy) + $(slices host) + $(slices run)))
echo "others: $(($(phase X) - sum))"
refuses warpreel export -o /nowhere/one.json one.wrt
refuses warpreel export --to svg -o one.svg one.wrt
left_behind
