# A run of a recording is answered on the GPUs it had, whatever other runs of the same recording had.
recording=$root/traces/data/h200x4/replay/rbsor.wrt.zst
for run in 5 12 16; do
	warpreel replay "$recording" --run $run --platform h200x4 2>/dev/null | sed -n '1p; /^    GPU/s/^ *\(GPU [0-9]*\).*/  \1/p; /bound by/s/:.*//p'
done
