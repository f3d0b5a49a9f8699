# A trace knows what it was written with: rows that are gone, added or changed since are named.
# alter NAME SQL: what the check says of a copy that was edited so.
alter() {
	cp one.wrt "$1.wrt"
	sqlite3 "$1.wrt" "$2"
	warpreel check "$1.wrt" 2>&1 >said | sed 's/checksum [0-9a-f]*, noted [0-9a-f]*/checksum {...}, noted {...}/'
	awk '/altered-tables/ && $1 { print $1, $2 }' said
	tail -n 1 said
}
predicted one.wrt --gpus 2
predicted two.wrt.zst --gpus 2
for trace in one.wrt two.wrt.zst; do warpreel check $trace | tail -n 1; done
alter row "DELETE FROM WARPREEL_HOST_OP WHERE rowid = 3"
alter value "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1 WHERE rowid = 2"
alter text "UPDATE StringIds SET value = value || 'x' WHERE id = 4"
alter table "DROP TABLE WARPREEL_FOOTPRINT"
alter more "CREATE TABLE WARPREEL_CLOCK (at, deviceId, smKilohertz, memoryKilohertz, skew)"
alter own "CREATE TABLE mine (note TEXT)"
alter none "DROP TABLE WARPREEL_TABLES"
alter list "UPDATE WARPREEL_TABLES SET rows = 'many'"
alter columns "ALTER TABLE WARPREEL_TABLES DROP COLUMN checksum"
# What is written anew is noted anew.
warpreel trim row.wrt -o again.wrt && warpreel check again.wrt | awk '/altered-tables/ && $1'
