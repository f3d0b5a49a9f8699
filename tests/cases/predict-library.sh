# A product that cuBLAS is asked for costs the host more than its launch, a thread's first one most: four a step, ten steps.
core() {
	warpreel predict patches --platform h200x4 --patches 2x16 --kernel gemm --block 8.8.8 --method jacobi --iterations 10 --kernel-model zero "$@" |
		awk '/core loop  / { print $3 }'
}
free=$(core --set host.library_ns=0 --set host.first_library_ns=0)
echo "$free $(core --set host.library_ns=20000 --set host.first_library_ns=0) $(core --set host.library_ns=0 --set host.first_library_ns=50000)" |
	awk '{ printf "each: %d tenths of a millisecond more, the first: %.0f us\n", ($2 - $1) / 100 + 0.5, $3 - $1 }'
# The first of each thread: on two GPUs, too, where both begin at once.
echo "$(core --patches 4x16 --gpus 2 --set host.library_ns=0 --set host.first_library_ns=0) $(core --patches 4x16 --gpus 2 --set host.library_ns=0 --set host.first_library_ns=50000)" |
	awk '{ printf "two GPUs, the first: %.0f us\n", $2 - $1 }'
