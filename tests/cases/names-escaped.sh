# Names with escape sequences, line ends, tabs, writing that turns about and bytes that are no UTF-8: nothing of it
# comes out, neither on a terminal nor into a table.
esc=$(printf '\033[2J\033]0;owned\007')
name="evil$esc\\tname
line 2$(printf '\342\200\256\302\233\377\200')end"
hex=$(printf '%b' "$name" | od -An -v -tx1 | tr -d ' \n')
predicted plain.wrt --gpus 2
cp plain.wrt evil.wrt
sqlite3 evil.wrt "
	UPDATE StringIds SET value = value || CAST(x'$hex' AS TEXT) WHERE id > 0 AND value NOT LIKE 'cu%';
	UPDATE TARGET_INFO_GPU SET name = CAST(x'$hex' AS TEXT);
	UPDATE WARPREEL_META SET value = CAST(x'$hex' AS TEXT) WHERE key NOT LIKE 'warpreel%' AND key <> 'kind';
	UPDATE WARPREEL_RUN SET config = CAST(x'$hex' AS TEXT);
	UPDATE WARPREEL_PREDICTION SET unit = CAST(x'$hex' AS TEXT);
	CREATE TABLE WARPREEL_LOSS (kind TEXT, count INTEGER, detail TEXT);
	INSERT INTO WARPREEL_LOSS VALUES ('new', 3, CAST(x'$hex' AS TEXT))" >/dev/null
zstd -dqf "$tests/cases/lib/profile.wrt.zst" -o profile.wrt
zstd -dqf "$tests/cases/lib/blocks.wrt.zst" -o blocks.wrt
sqlite3 blocks.wrt "UPDATE StringIds SET value = value || CAST(x'$hex' AS TEXT) WHERE id > 0"
cp profile.wrt named.wrt
sqlite3 named.wrt "UPDATE StringIds SET value = value || CAST(x'$hex' AS TEXT) WHERE id > 0"
sqlite3 profile.wrt "UPDATE WARPREEL_PROFILE_CODE SET text = text || CAST(x'$hex' AS TEXT)"
cp evil.wrt "$(printf 'evil\033[2J.wrt')"

# clean WORDS...: what a command prints, both outputs together.
clean() {
	"$@" >table 2>said
	local code=$?
	cat table >>said
	LC_ALL=C tr -d '\n\t -~\200-\377' <said | wc -c >controls
	iconv -f UTF-8 -t UTF-8 said >/dev/null 2>&1 || echo 1 >>controls
	LC_ALL=C grep -q "$(printf '\342\200\256\\|\302\233')" said && echo 1 >>controls
	case " $* " in
	*" tsv "*) awk -F '\t' 'NR == 1 { fields = NF } NF != fields { print "line of " NF " fields, not " fields; exit }' table ;;
	esac
	echo "$(echo "$*" | LC_ALL=C tr -cd ' -~'): exit $code, $(grep -c . said | sed 's/^0$/nothing/;s/^[0-9]*$/text/'), $(awk '{ n += $1 } END { print n + 0 }' controls) bad"
}
for format in text tsv; do
	clean warpreel info --format $format evil.wrt
	clean warpreel compare --format $format evil.wrt plain.wrt
	clean warpreel compare --format $format evil.wrt evil.wrt
	clean warpreel check --format $format evil.wrt
	clean warpreel replay evil.wrt --platform "$platform" --format $format
	clean warpreel info --kernel toy --format $format profile.wrt
	clean warpreel info --blocks --format $format blocks.wrt
	clean warpreel metrics --profile named.wrt --platform "$tests/cases/lib/sm.ini" --format $format
done
clean warpreel dump evil.wrt
clean warpreel info "$(printf 'evil\033[2J.wrt')"
clean warpreel check "$(printf 'evil\033[2J.wrt')"
clean warpreel export evil.wrt -o out.json
warpreel info --kernel nosuch profile.wrt 2>&1 | LC_ALL=C tr -d '\n\t -~' | wc -c
warpreel info evil.wrt | grep -m 1 "evil"
printf 'solver\tconfig\tnote\nrbsor\tsize=512\tevil\033[2J\n' >table.tsv
clean warpreel columns table.tsv
sed "s/^name = .*/name = small$(printf '\033')[2J/" "$platform" >evil.ini
refuses warpreel predict rbsor --platform evil.ini --size 512
