# Every subcommand has a case that shows its --help, and is listed by the program.
sed -n 's/^COMMAND(\([a-z_]*\),.*/\1/p' "$root/traces/commands.def" | while read -r command; do
	[ -f "$tests/cases/help-$command.sh" ] || echo "no case help-$command"
	warpreel --help | grep -q "^  $command " || echo "$command is not listed"
done
