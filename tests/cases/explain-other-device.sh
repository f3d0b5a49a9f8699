# Profiles counted where L2 held a launch say nothing against a small L2: there nearly all that a sweep reads comes from DRAM.
for kernel in 1 2 3; do
	warpreel explain lmsor --platform gtx480 --kernel $kernel --size 1002 --problem 2 --omega as-run |
		awk -v kernel=$kernel '$1 == "memory" && !seen++ { print "kernel " kernel ": " ($7 >= 60 ? "most" : $7 " %") " from DRAM" }'
done
