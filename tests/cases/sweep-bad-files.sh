# What is wrong with a sweep's file is said with its line.
try() { printf '%b' "$1" >grid.ini; refuses warpreel sweep grid.ini --platform "$platform"; }
try ''
try '[sweep]\ngpus = 2\n'
try 'gpus = 2\n'
try '[sweep]\ncolour = red\n'
try '[multigrid]\nsize = 64\n'
try '[rbsor]\ncolour = red\n'
try '[rbsor]\nsize =\n'
try '[rbsor]\nsize = 64..128+0\n'
try '[rbsor]\nsize = 64..128*1\n'
try '[rbsor]\nsize = 64..many\n'
try '[rbsor]\nsize = 128..64\n'
try '[rbsor]\nsize = 1..9999999\n'
try '[rbsor]\nsize = 64..5063\nborder=1..5000\niterations=1..5000\n'
try '[sweep]\ngpus = 0 1\n[rbsor]\nsize = 64\n'
try '[sweep]\ngpus = many\n[rbsor]\nsize = 64\n'
try 'nonsense\n'
try '[sweep]\n[rbsor\nsize = 64\n'
try '[rbsor] size = 64\n'
try "[rbsor]\nsize = $(printf '64 %.0s' {1..80})\n"
# No point has an answer: that is an error.
try '[rbsor]\nsize = 1\n'
try '[sweep]\nplatform = nowhere\n[rbsor]\nsize = 64\n'
refuses warpreel sweep
refuses warpreel sweep nowhere.ini
refuses warpreel sweep grid.ini -o /nowhere/table.tsv
refuses warpreel sweep grid.ini -o grid.ini
echo junk >grid.tsv.sweep
refuses warpreel sweep grid.ini --platform "$platform"
# Somebody's database of that name is left as it is.
warpreel predict rbsor --size 64 -o grid.tsv.sweep >/dev/null
cp grid.tsv.sweep as-it-was
refuses warpreel sweep grid.ini --platform "$platform"
cmp grid.tsv.sweep as-it-was && echo left
