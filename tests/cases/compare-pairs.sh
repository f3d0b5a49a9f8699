# Runs are paired by configuration, whatever their order and number, and only their rows are compared.
trace=$root/traces/data/h200x4/replay/rbsor.wrt.zst
pairs() { warpreel compare "$@" | sed -n '/^[A-Z] = /d;/^run\|^rows\|^no two\|^  [AB]:/p'; }
cores() { warpreel compare "$@" --format tsv | awk -F '\t' '$1 == "core" || $1 == "busy" && $2 == "GPU 0" { print $1, $2, $3, $4, ($7 < 0.005 && $7 > -0.005 ? "same" : "differs") }'; }
warpreel trim "$trace" -o both.wrt --first 2 --count 2
warpreel trim "$trace" -o second.wrt --first 3 --count 1
echo "# two runs with the second of them, either way round"
pairs both.wrt second.wrt
cores both.wrt second.wrt
pairs second.wrt both.wrt
cores second.wrt both.wrt
echo "# a single run of each"
predicted one.wrt --gpus 1
predicted two.wrt --gpus 2
pairs one.wrt two.wrt
echo "# no pair"
cores one.wrt both.wrt
pairs one.wrt both.wrt
echo "# no runs"
pairs "$tests/cases/lib/foreign.wrt.zst" one.wrt
