# A plan has the iterations it is told; a list may mix families.
refuses warpreel predict lmsor --platform "$platform" --kernel-model roofline --iterations 0
refuses warpreel predict lmsor --platform "$platform" --kernel-model roofline --kernel rows --iterations 3
refuses warpreel predict lmsor --platform "$platform" --kernel-model roofline --kernel persistent --iterations 3
refuses warpreel time lmsor --backend cpu --kernel persistent
for check in every 10 device; do
	warpreel predict lmsor --platform "$platform" --kernel-model roofline --gpus 2 --iterations 40 --check $check -o $check.wrt --format tsv >table
	columns solver,config,gpus <table | tail -n 1
	warpreel replay $check.wrt --platform "$platform" --format tsv | columns solver,gpus | tail -n 1
	warpreel replay $check.wrt --platform "$platform" --kernel-model roofline --gpus 4 --format tsv | columns config,gpus | tail -n 1
done
printf 'rbsor 1 size=64 iterations=3\nlmsor 2 size=66 problem=1 tolerance=1e-2 kernel=3\nlmsor 1 size=66 max-iterations=5\n' >list
warpreel batch list --backend cpu --repeat 1 >table; echo "exit $?"
columns solver,iterations,real_points,imaginary_points <table
