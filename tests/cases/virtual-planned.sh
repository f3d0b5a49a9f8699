# Our solvers, recorded on one GPU as if there were two, take what they take planned anew: pauses between kernels are not those of the turns.
trace=${root:?}/traces/data/h100x2/virtual/solvers.wrt.zst
core() { awk '/core loop  / { print $3; exit }'; }
beside() { # RUN SOLVER ARGUMENTS...
	recorded=$(warpreel replay "$trace" --platform h100x2 --run "$1" 2>/dev/null | core)
	shift
	planned=$(warpreel predict "$@" --gpus 2 --platform h100x2 2>/dev/null | core)
	awk -v a="$recorded" -v b="$planned" -v what="$*" 'BEGIN { print what ": " (a > 0.99 * b && a < 1.01 * b ? "within 1 %" : a " and " b) }'
}
beside 0 rbsor --size 2048 --kernel tuned --iterations 100
beside 1 rbsor --size 4096 --kernel tuned --iterations 100
beside 4 jacobi --size 4096 --iterations 100
