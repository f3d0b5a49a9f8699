# A cost that grows makes no run shorter, unless by work that came late and found engines idle, which is measured (tests/laws.sh; make laws has all of it).
sh "$tests/laws.sh" "${warpreel:?}" laws sample | sed 's/^[0-9]* costs of runs: [0-9]* monotone, [0-9]* reversed and explained ([^)]*), //'
