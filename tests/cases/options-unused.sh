# An option of a solver that its plan does not depend on is said, by each command that plans.
ask() { echo "$*"; { warpreel "$@" >answer; } 2>&1; echo "exit $?"; }
ask predict rbsor --size 512 --platform h200x4 --depth 8
ask predict rbsor --size 512 --platform h200x4 --depth 6
ask predict rbsor --size 512 --platform h200x4 --kernel temporal --depth 8
ask predict patches --platform h200x4 --streams 3 --products 8
ask predict patches --platform h200x4 --order breadth --streams 3
ask predict jacobi --size 512 --platform h200x4 --partition 1x1
ask explain rbsor --platform h200x4 --depth 8
ask platforms rbsor --platform h200x4 --platform h200x8 --depth 8
# What is of --co-simulate alone.
for option in "--seeds 5" "--pace x.tsv" "--costs x"; do
	refuses warpreel predict poisson --platform h200x4 $option
done
# A sweep in which points ask for the same.
printf '[rbsor]\nsize = 256\nkernel = tuned temporal\ndepth = 2 4\n' >grid.ini
ask sweep grid.ini --platform h200x4
printf '[sweep]\ngpus = 1 1\n[rbsor]\nsize = 256\n' >twice.ini
ask sweep twice.ini --platform h200x4
printf '[sweep]\ngpus = 1 2\n[rbsor]\nsize = 256\n' >once.ini
ask sweep once.ini --platform h200x4
