# Keys by the names they once had: read as ever, with one note a file; --set takes them, too.
sed 's/^l2_reversed_bytes/l2_turned_bytes/; s/^l2_far_dirty_/l2_fresh_/' "$root/model/platforms/h200x4.ini" >h200x4.ini
grep -c '^l2_turned_bytes\|^l2_fresh_' h200x4.ini
printf 'solver\tconfig\tmedian_ns\tmad_ns\nmicro\tkernel=copy4 size=4096\t1000\t1\n' >kernels.tsv
validate() { warpreel validate --only kernels --kernels kernels.tsv "$@" >/dev/null; }
validate --platform h200x4 -o new.tsv
validate --platform h200x4.ini -o old.tsv
cmp new.tsv old.tsv && echo "the same answers"
validate --platform h200x4 --set sm.l2_reversed_bytes=1e6 -o new.tsv
validate --platform h200x4 --set sm.l2_turned_bytes=1e6 -o old.tsv
cmp new.tsv old.tsv && echo "the same answers"
