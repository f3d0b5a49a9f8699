# A case that is blessed keeps the lines that hold something open and still fit; others are as they were found.
mkdir -p tests/cases/lib
cp "$tests/run_cases.sh" tests/
cp "$tests/cases/lib/case.sh" tests/cases/lib/
echo 'echo "took 17 us"; echo second; echo "says 3.24"; echo "took 18 us"; echo "braces {}"' >tests/cases/x.sh
printf 'took {...} us\nanother\nsays {~3.25}\nsays {~9}\ntook {...} ms\nbraces {}\n' >tests/cases/x.out
echo 'echo one' >tests/cases/y.sh
echo 'true' >tests/cases/z.sh
echo gone >tests/cases/z.err
WARPREEL=$(command -v true) sh tests/run_cases.sh --bless x y z
cat tests/cases/x.out tests/cases/y.out
ls tests/cases
