# What papers does not take.
refuses warpreel papers
refuses warpreel papers 999
refuses warpreel papers 002 --table table5
refuses warpreel papers 002 --platform nowhere --table table1
# A platform given by its path has its measurements where its name says.
cp "$root/model/platforms/h200x4.ini" mine.ini
warpreel papers 002 --platform mine.ini --table counts 2>&1 | cmp - <(warpreel papers 002 --platform h200x4 --table counts 2>&1) && rm mine.ini && echo "as by its name"
refuses warpreel papers 002 --published nowhere
refuses warpreel papers 002 --measured nowhere
refuses warpreel papers 002 --measured .
refuses warpreel papers 002 --kernels /dev/null
refuses warpreel papers 002 -o /dev/null/folder
header='table\tdevice\tproblem\tsize\tre\tomega\tkernel\tquantity\tunit\tvalue\n'
good='1\tgtx480\t1\t402\t10\teq9\t1\titeration\tms\t0.1\n'
published() { # text
	printf "$1" >published.tsv
	refuses warpreel papers 002 --published published.tsv --table table1
}
published ''
published "$header"
published 'table\tdevice\n'
published "# why\n${header}${good}1\tgtx480\t1\t402\t10\teq9\t1\titerations\t-\tmany\n"
published "${header}${good}1\tgtx480\t1\t402\t10\teq9\n"
published "${header}1\tgtx480\t0\t402\t10\teq9\t1\titeration\tms\t0.1\n"
published "${header}${good}${good}"
published "${header}${good}"
printf 'solver\tconfig\tgpus\tcore_us\n' >measured.tsv
refuses warpreel papers 002 --measured measured.tsv
printf 'solver\tconfig\tgpus\tcore_us\tcore_mad_us\titerations\nlmsor\tx\t1\t5\t1\t5\nlmsor\tx\t1\t5\t1\tmany\n' >measured.tsv
refuses warpreel papers 002 --measured measured.tsv
printf 'solver\tconfig\tmedian_ns\tmad_ns\nlmsor\tx\t-1\t1\n' >kernels.tsv
refuses warpreel papers 002 --kernels kernels.tsv
left_behind | grep -v 'tsv$'
