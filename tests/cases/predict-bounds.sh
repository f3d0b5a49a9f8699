# Of kernels without profile bounds are known alone. Where ten times as long as these would not show, the run has an answer all the
# same; where it would, its time is at least so long, and a sweep has no row of it.
for patches in 2x16 48x88; do
	warpreel predict patches --platform h200x4 --kernel gemm --block 8.8.8 --method jacobi --iterations 10 --patches $patches |
		awk '/core loop  / { print $10 == "inf" ? "no upper end," : "an interval,", /LOWER BOUND/ ? "a bound" : "an answer" }
			/has no profile/ { sub(/, and [0-9.]* times.*/, ", ..."); sub(/ \(.*/, ""); print }'
done
cat >s.ini <<'INI'
[sweep]
platform = h200x4
[patches]
kernel = gemm
block = 8.8.8
method = jacobi
iterations = 10
patches = 2x16, 48x88
INI
warpreel sweep s.ini -o out.tsv 2>&1 | sed 's/ in [^ ]*\*\.wrt\.zst/ in .../'
columns answered,core_hi_us <out.tsv | awk -F '\t' 'NR > 1 { print $1, ($2 == "-" ? "no end" : ($2 > 0 ? "an end" : "?")) }'
# platforms does the same.
warpreel platforms patches --platform h200x4 --platform h200x8 --patches 2x16 --kernel gemm --block 8.8.8 --method jacobi --iterations 10 >two && echo "two platforms"
refuses warpreel platforms patches --platform h200x4 --platform h100x4 --patches 48x88 --kernel gemm --block 8.8.8 --method jacobi --iterations 10 2>&1 |
	sed 's/ in [^ ]*\*\.wrt\.zst/ in .../'
