# Runs that a trace does not hold.
trace=$root/traces/data/h200x4/replay/rbsor.wrt.zst
refuses warpreel trim "$trace" -o some.wrt --first 28
refuses warpreel trim "$trace" -o some.wrt --first 27 --count 2
left_behind
