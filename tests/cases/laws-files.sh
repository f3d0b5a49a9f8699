# An edit of a number in a platform's file and --set give the same answer to the last digit (tests/laws_files.sh; make laws has all numbers).
sh "$tests/laws_files.sh" "${warpreel:?}" files 31 | sed 's/: [0-9]* numbers, [0-9]* of them change the answer,//'
# A file from a data sheet, whose rates others were worked out of: what they were is in the file, too.
sh "$tests/laws_files.sh" "${warpreel:?}" sheet 41 h100 | sed 's/: [0-9]* numbers, [0-9]* of them change the answer,//'
