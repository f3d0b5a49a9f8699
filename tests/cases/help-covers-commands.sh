# Every subcommand has a case that shows its --help, and is listed by the program.
commands | while read -r command; do
	[ -f "$tests/cases/help-$command.sh" ] || echo "no case help-$command"
	warpreel --help | grep -q "^  $command " || echo "$command is not listed"
done
