# What-ifs drawn at random say the same by a file and by --set (tests/laws_drawn.sh; make laws has 2,000 of them).
sh "$tests/laws_drawn.sh" "${warpreel:?}" laws 6 7 | sed 's/, [0-9]* of them change the answer, [0-9]* are refused;/,/; s/: [0-9]* monotone, [0-9]* reversed and explained//; /^slowest/d'
