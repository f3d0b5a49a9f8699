# A folder that is not there, or a file in a folder's place, is said before the work is done: the input is not even read.
for command in "trim none.wrt" "replay none.wrt" "export none.wrt" "predict rbsor --platform none.ini" "profile --join none.wrt"; do
	# shellcheck disable=SC2086
	refuses warpreel $command -o nowhere/x.wrt.zst
done
refuses warpreel trim none.wrt -o .
left_behind
