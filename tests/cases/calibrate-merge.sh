# Three calibrations of a kind become one, without a GPU; what does not belong together is refused, and nothing is written then.
file=$root/model/platforms/h200x4.ini
sed 's/^queue_depth = .*/queue_depth = 1000/' "$file" >slow.ini
printf '[host]\nqueue_depth = 1001\n' >part.ini
warpreel calibrate --merge "$file,slow.ini,part.ini" -o merged.ini --name fleet
grep -A 3 '^# median of 3' merged.ini
grep -c '^name = fleet' merged.ini
warpreel predict rbsor --size 4096 --gpus 2 --platform merged.ini --profile "$root/traces/data/h200x4/profile/rbsor.wrt.zst" --format tsv | wc -l
cp slow.ini old.ini
warpreel calibrate --merge "$file,slow.ini" --only peer_exchange --update old.ini && grep -c '^queue_depth = 1000' old.ini
warpreel calibrate --merge "$file,$root/model/platforms/h200x8.ini" -o none.ini 2>&1 | sed "s#$root/##g"
cp part.ini other.ini
warpreel calibrate --merge part.ini,other.ini --only host,peer_exchange --update old.ini
warpreel calibrate --merge "$file,slow.ini" --only host -o host.ini && grep '^\[' host.ini
sed 's/^threads = 1 2 4/threads = 1 2 3/' "$file" >three.ini
for wrong in "--merge part.ini -o none.ini" "--merge part.ini,part.ini -o none.ini" "--merge part.ini,missing.ini -o none.ini" "--merge part.ini,other.ini" \
	"--merge part.ini,other.ini -o none.ini --update old.ini --only host" "--merge part.ini,other.ini --update old.ini" "--merge slow.ini,three.ini -o none.ini" \
	"--only foo -o none.ini" "--merge part.ini,other.ini -o other.ini"; do
	# shellcheck disable=SC2086 # several words
	warpreel calibrate $wrong 2>&1 | cut -c 1-72
done
refuses warpreel calibrate --merge part.ini,other.ini -o none.ini --gpus 2
for name in 'a ; b' 'a # b' $'a\nb' ' a' ''; do
	refuses warpreel calibrate --merge part.ini,other.ini -o none.ini --name "$name"
done
refuses warpreel calibrate --merge part.ini,other.ini -o 'none;.ini'
[ ! -e none.ini ] && echo "nothing written"
