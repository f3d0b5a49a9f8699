# Large tables by column: the same trace in a third of the size, and back again to rows.
predicted answer.wrt --gpus 4
warpreel trim --all answer.wrt -o one.wrt.zst
warpreel trim --all --columns one.wrt.zst -o columns.wrt.zst
warpreel dump one.wrt.zst >rows.txt
warpreel dump columns.wrt.zst | cmp - rows.txt && echo "same rows"
test $((3 * $(wc -c <columns.wrt.zst))) -lt $((2 * $(wc -c <one.wrt.zst))) && echo smaller
warpreel trim --all columns.wrt.zst -o again.wrt && warpreel dump again.wrt | cmp - rows.txt && echo "same rows again"
sqlite3 again.wrt "SELECT count(*) > 64 FROM CUPTI_ACTIVITY_KIND_KERNEL; SELECT count(*) FROM sqlite_schema WHERE name = 'WARPREEL_COLUMNS'"
warpreel check columns.wrt.zst | tail -n 1
# Altered in a column.
warpreel trim --all --columns one.wrt.zst -o altered.wrt
sqlite3 altered.wrt "UPDATE WARPREEL_COLUMNS SET bytes = zeroblob(rows) WHERE name LIKE '%KERNEL' AND column = 'gridX'"
warpreel check altered.wrt 2>&1 | grep -e WARPREEL_COLUMNS -e '^ *[1-9][0-9]*  altered'
# A trace without runs, which is kept whole or not at all; a part of everything.
warpreel trim --all --columns "${tests:?}/cases/lib/foreign.wrt.zst" -o foreign.wrt.zst
warpreel dump "$tests/cases/lib/foreign.wrt.zst" >rows.txt
warpreel dump foreign.wrt.zst | cmp - rows.txt && echo "same rows"
refuses warpreel trim one.wrt.zst -o part.wrt --all --first 1
left_behind
