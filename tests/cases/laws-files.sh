# An edit of a number in a platform's file and --set give the same answer to the last digit (tests/laws_files.sh; make laws has all numbers).
sh "$tests/laws_files.sh" "${warpreel:?}" files 31 | sed 's/^[0-9]* numbers, [0-9]* of them change the answer, //'
