for command in $(sed -n 's/^COMMAND(\([a-z_]*\),.*/\1/p' "$root/traces/commands.def"); do
	refuses warpreel "$command" --frobnicate
done
