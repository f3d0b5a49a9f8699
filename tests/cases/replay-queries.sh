# Query calls have no operations; what watching them cost is taken out where the platform knows it, and named where it does not.
trace=$root/traces/data/h200x4/foreign/stencil_cupy.wrt.zst
core() { warpreel replay "$trace" --range segment --format tsv "$@" | columns core_us | tail -n 1; }
warpreel dump "$trace" | awk -F '\t' '$1 == "api" { calls++; asked += $9 } END { print calls, "calls,", asked, "asked before them" }'
warpreel info "$trace" | grep "query calls"
warpreel info --format tsv "$trace" | grep "query calls"
known=$(core --platform h200x4)
costless=$(core --platform h200x4 --set host.query_ns=1000) # as long as under the recorder: nothing is taken out
awk -v known="$known" -v costless="$costless" 'BEGIN { print (known < costless && known > 0.9 * costless ? "a little is taken out" : known " of " costless) }'
core --platform h200x8 >unknown
[ -s unknown ] && echo "an answer all the same"
