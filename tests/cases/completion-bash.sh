# bash completion, which asks the program's own --help.
. "$root/docs/completion/warpreel.bash"
complete_line() {
	COMP_WORDS=("$warpreel" "$@")
	COMP_CWORD=$#
	_warpreel
	echo "$* -> ${COMPREPLY[*]}"
}
complete_line so
complete_line c
complete_line solve ''
complete_line solve rbsor --pre
complete_line solve rbsor --precision ''
complete_line solve rbsor --transport h
complete_line solve rbsor --size ''
touch run.wrt
complete_line info r
complete_line replay run.wrt --platform r
complete_line replay run.wrt --allow-extrapolation r
# every command offers its options
for command in $(commands); do
	COMP_WORDS=("$warpreel" "$command" -) COMP_CWORD=2
	_warpreel
	[ "${#COMPREPLY[@]}" -ge 2 ] || echo "$command offers ${COMPREPLY[*]}"
done
