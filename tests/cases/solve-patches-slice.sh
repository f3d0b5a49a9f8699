# The middle plane of the first patch: a row a cell, within its start values, which a step makes smaller; the same after another count of patches behind it.
slice() { warpreel solve patches --backend cpu --block 4 --repeat 1 "$@" >/dev/null; }
slice --patches 1x8.12.8 --iterations 1 --slice one.tsv
head -n 1 one.tsv | tr '\t' ' '
tail -n +2 one.tsv | awk -F '\t' '{ n++; x = $1 > x ? $1 : x; y = $2 > y ? $2 : y; if ($3 < 0 || $3 > 1) print "outside: " $0; sum += $3 } END { print n, x, y, (sum / n < 0.5 ? "smaller" : sum / n) }'
slice --patches 1x8.12.8+2x8 --iterations 1 --slice more.tsv && cmp one.tsv more.tsv && echo "the same of the first of three"
slice --patches 1x8.12.8 --iterations 5 --slice five.tsv
paste one.tsv five.tsv | tail -n +2 | awk -F '\t' '{ a += $3 * $3; b += $6 * $6 } END { print (b < a ? "and smaller" : "no smaller") }'
refuses slice --patches 1x8 --slice nowhere/a.tsv
