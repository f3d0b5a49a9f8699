# A fourth paper: all tables are made, what holds is what the ratio says, and shares are of what is there.
warpreel papers 003 -o all 2>said && ls all
columns figure,solver,resident,of <all/pairs.tsv | head -n 3
awk -F '\t' 'NR > 1 { n++; for (k = 2; k < 10; k += 2) if (($k == "-") != ($(k + 1) == "-")) print "half a ratio: " $0 } END { print (n > 20 ? "statements" : "too few: " n) }' all/statements.tsv
awk -F '\t' 'NR > 1 { for (k = 8; k <= 10; k += 2) if ($k != "-" && ($k < 0 || $k > 1)) print "no distance: " $0; if ($8 == "-" || $4 !~ /^blind-[345]$/ && $10 == "-") print "none: " $0 } END { print (NR > 20 ? "ages" : "too few") }' all/ages.tsv
awk -F '\t' 'NR > 1 && $5 < 1 { print "a barrier in the block is slower: " $0 }' all/figure2.tsv
warpreel papers 003 --table whole --format tsv 2>/dev/null | diff - all/whole.tsv && echo same
refuses warpreel papers 003 --table figure8
refuses warpreel papers 003 --published nothing.tsv
