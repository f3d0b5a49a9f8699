# Well-formed, whole, and every device operation of the trace in it.
predicted one.wrt --gpus 2
warpreel export --to chrome -o one.json one.wrt
head -c 1 one.json; tail -c 2 one.json
echo "$(grep -o '"ph":"X"' one.json | wc -l) complete events" | awk '{ print ($1 > 50 ? "many events" : $0) }'
refuses warpreel export -o /nowhere/one.json one.wrt
refuses warpreel export --to svg -o one.svg one.wrt
left_behind
