# Instructions that no profile counts lose their code, and nothing else changes.
code() { warpreel dump "$1" | grep -v '^meta'; }
sqlite3 "$tests/corpus/profile.sqlite" .dump >text
{ cat text; echo 'DELETE FROM WARPREEL_PROFILE_COUNT WHERE "offset" IN (32, 80);'; } | sqlite3 some.sqlite
sqlite3 some.sqlite 'DROP TABLE IF EXISTS WARPREEL_TABLES'
warpreel trim some.sqlite --all --counted -o counted.wrt
warpreel trim some.sqlite --all -o same.wrt
code some.sqlite >before
code same.wrt | diff before - && echo same
code counted.wrt | diff before - || true
warpreel check counted.wrt | tail -n 1
# Joined with a file that has it, the code is whole again, whichever comes first.
sqlite3 counted.wrt 'UPDATE WARPREEL_PROFILE SET gridX = gridX + 1'
text() { warpreel dump "$1" | grep '^profile_code' | cut -f 2-; }
text some.sqlite >whole
for first in some.sqlite counted.wrt; do
	second=$([ $first = some.sqlite ] && echo counted.wrt || echo some.sqlite)
	warpreel profile --join -o both.wrt $first $second
	text both.wrt | diff whole - && echo whole
done
# A profile that counts nothing has its code for something else.
sqlite3 some.sqlite 'DELETE FROM WARPREEL_PROFILE_COUNT WHERE profile = 1'
warpreel trim some.sqlite --all --counted -o kept.wrt
text kept.wrt | diff whole - && echo kept
