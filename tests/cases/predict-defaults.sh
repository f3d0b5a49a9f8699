# A first command answers: every solver with no options, on shipped platforms. Where a kernel has no profile it names it, and says that this is a lower bound or
# that it does not show.
# Ninety pairs take a minute: here every solver on h200x4, and every fourth of the other pairs, so that each platform and each solver has some.
solvers=$(warpreel predict --help | sed -n 's/^solvers: //p')
[ "$(echo "$solvers" | wc -w)" -ge 9 ] || echo "few solvers: $solvers"
pair=0
for file in "$root"/model/platforms/*.ini; do
	name=$(basename "$file" .ini)
	for solver in $solvers; do
		pair=$((pair + 1))
		[ "$name" = h200x4 ] || [ $((pair % 4)) = 0 ] || continue
		warpreel predict "$solver" --platform "$name" >answer 2>messages ||
			{ echo "$solver on $name: exit $?, $(cat messages)"; continue; }
		awk -v of="$solver on $name" '/core loop  / { us = $3; low = $8; high = $10; bound = /LOWER BOUND/ } /has no profile, so/ { named = 1 } /has no profile: / { beside = 1 }
			END { if (!(us > 0 && low > 0 && low <= us)) print of ": no time"; if (bound != named || named && beside || bound != (high == "inf")) print of ": a bound that does not say so" }' answer
	done
done
# A plan does not compute: defaults of a run that ends when it has converged are others there, and what is given stands.
warpreel predict lmsor --format tsv | columns config | tail -n 1 | grep -o 'iterations=100$'
warpreel predict lmsor --iterations 7 --format tsv | columns config | tail -n 1 | grep -o 'iterations=7$'
warpreel predict lmsor --help | grep -c 'default 100'
warpreel platforms lmsor --platform h200x4 --platform h200x8 >/dev/null && echo "platforms, too"
refuses warpreel predict poisson --scheme reference
# Without a profile, as a table, whose answer has no upper end, and as a trace.
ahead='mlssor --platform h200x4 --kernel ahead --subdomain 16x16 --layers 8'
# shellcheck disable=SC2086 # several words
warpreel predict $ahead --format tsv | columns core_hi_us,kernel_model,extrapolated | tail -n 1
# shellcheck disable=SC2086
warpreel predict $ahead -o ahead.wrt >/dev/null && warpreel check ahead.wrt >/dev/null && echo "a sound trace"
# A sweep has the same ones.
printf '[sweep]\ngpus = 1\n[lmsor]\nsize = 402\n[shape]\nhost-sync = 1\n[bfs]\nedges = 6144\n' >of.ini
warpreel sweep of.ini -o of.tsv
columns config <of.tsv | tail -n +2 >swept
for solver in "lmsor --size 402" shape bfs; do
	warpreel predict $solver --format tsv | columns config | tail -n 1
done | cmp - swept && echo as swept
