# What is named and not measured is run step by step: what wants more GPUs or more time than there are is said and left out, a step
# that fails or takes too long does not end the visit, and what it had done stays. The program here only says what it is asked.
cat >program <<'P'
#!/bin/sh
for word; do
	case $before in -o) to=$word ;; esac
	before=$word
done
case $1 in batch) [ "$#" -ge 8 ] && { echo head; grep -v '^#' "$2"; } >"$to.so-far" ;; esac
case $2 in
*two_jacobi*) echo "no such kernel"; exit 1 ;;
*two_lmsor*) exec sleep 60 ;;
esac
[ ! -e "$to.so-far" ] || mv "$to.so-far" "$to"
P
mkdir lists checks
printf '#!/bin/sh\nexit 0\n' | tee checks/gpu_rbsor_runs >checks/gpu_machine
chmod +x program checks/*
for list in canary two_ways_blind two_lmsor_blind two_jacobi_blind two_nccl_blind two_replay_blind; do
	printf '# a list\nrbsor 1 size=20x20\nrbsor 2 size=20x20\nrbsor 4 size=20x20\n' >lists/$list.list
done
export WARPREEL="$PWD/program" LISTS="$PWD/lists" TESTS="$PWD/checks"
awk -F '\t' -v OFS='\t' '$4 != "gate" && $4 != "rest" { if (NR > 1) $3 = $1 == "two_virtual" ? 50 : 1; print }' "$root/traces/data/visit.tsv" >steps.tsv
VISIT_STEPS="$PWD/steps.tsv" sh "$root/traces/data/visit.sh" named T 2 two 40 | awk -F '\t' -v OFS='\t' 'NF > 1 { sub(/: .* s$/, "", $2); $3 = "-" } 1'
cat two/two_lmsor.tsv.so-far two/two_jacobi.txt
VISIT_STEPS="$PWD/steps.tsv" sh "$root/traces/data/visit.sh" named T 1 one 40 | awk -F '\t' -v OFS='\t' '$2 ~ /GPU/ || /steps/ { if (NF > 1) $3 = "-"; print }'
# A machine nobody calibrated is calibrated first, under the name its GPUs give it.
printf '#!/bin/sh\necho "NVIDIA H100 80GB HBM3"; echo "NVIDIA H100 80GB HBM3"\n' >nvidia-smi
printf '#!/bin/sh\necho "$*"\nfor word; do case $before in -o) : >"$word" ;; esac; before=$word; done\n' >program
chmod +x nvidia-smi
awk -F '\t' '$4 !~ /batch|test|record/' "$root/traces/data/visit_machine.tsv" >steps.tsv
PATH="$PWD:$PATH" VISIT_STEPS="$PWD/steps.tsv" sh "$root/traces/data/visit.sh" named T 2 new 300 | awk -F '\t' -v OFS='\t' 'NF > 1 { $3 = "-" } 1'
cat new/platform.txt new/verify.txt
sh "$root/traces/data/visit.sh" nothing T 1 one
