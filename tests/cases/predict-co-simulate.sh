# Steps and time played together: the same bytes again, steps that are multiples of the host's interval, ages, and refusals.
weak() { warpreel predict poisson --co-simulate --costs c1060 --size 64 --seeds 3 --tolerance 5 --format tsv "$@"; }
weak --scheme 4w-square --host-sync 20 --resident 4 --ages ages.tsv >first
weak --scheme 4w-square --host-sync 20 --resident 4 | cmp - first
head -n 1 first | tr '\t' ' '
columns steps,steps_lo,steps_hi <first | tail -n 1 | awk '{ print ($1 % 20 || $2 > $1 || $3 < $1 ? "wrong: " $0 : "multiples of 20") }'
head -n 1 ages.tsv
# Where each block was when: three rounds of five phases, and never back.
weak --scheme 4w-square --host-sync 20 --resident 4 --pace pace.tsv >/dev/null
awk -F '\t' 'NR == 1 { print $1, $2, $3, $4; next } { n[$2]++; if ($4 <= steps[$2] || $1 < us) print "back: " $0; steps[$2] = $4; us = $1 } END { for (b in n) if (n[b] != 15 || steps[b] != 60) print "block " b ": " n[b] }' pace.tsv
refuses weak --scheme 4w-square --ages a.tsv --pace ./a.tsv
refuses weak --scheme 4w-square --pace nowhere/a.tsv
# The paper's orders: 4W before UD before Coarse in steps; Base takes the fewest and the longest time.
for scheme in base 4w-square ud-stripe coarse; do weak --scheme $scheme --resident 4 --seeds 1 | columns steps,core_us | tail -n 1; done |
	awk '{ steps[NR] = $1; time[NR] = $2 } END { print (steps[1] < steps[2] && steps[2] < steps[3] && steps[3] < steps[4] ? "steps in order" : "steps out of order") ", " (time[2] < time[1] ? "4W is faster than Base" : "Base is faster") }'
weak --scheme 4w-stripe --max-steps 60 >/dev/null; echo "exit $?"
printf 'step_ns\tfast\n' >bad.tsv; printf 'step_ns\t1\n' >short.tsv
for options in '--scheme reference' '--scheme flags' '--scheme cluster' '--scheme 4w-stripe --phases p.tsv' '--scheme 4w-stripe --costs bad.tsv' '--scheme 4w-stripe --costs short.tsv' '--scheme 4w-stripe --costs nowhere' '--scheme 4w-stripe --threads 96' \
	'--scheme base --ages a.tsv' '--scheme 4w-stripe --exchange 0' '--scheme 4w-stripe --host-sync 0' '--scheme 4w-stripe --resident -1'; do
	# shellcheck disable=SC2086
	refuses weak $options
done
# Costs are those of the one device that was measured, and said.
plain() { warpreel predict poisson --co-simulate --scheme 4w-square --size 64 --seeds 1 --tolerance 5 "$@"; }
plain --costs h200 >named
plain | cmp - named && tail -n 1 named
warpreel predict poisson --scheme 4w-square --size 64 | tail -n 1
refuses warpreel predict rbsor --co-simulate --costs c1060
# Chaotic block relaxation is the second family: between Gauss-Seidel in order and Jacobi without damping.
patches() { warpreel predict patches --co-simulate --costs h200 --patches 1x32 --block 8 --kernel gemv-c --iterations 3 --seeds 2 --format tsv "$@"; }
patches --method chaotic | columns steps,residual | tail -n 1 | awk '{ print $1 " steps, " ($2 > 0.011 && $2 < 0.028 ? "between" : "outside: " $2) }'
refuses patches --method jacobi
refuses patches --method chaotic --order depth
left_behind
