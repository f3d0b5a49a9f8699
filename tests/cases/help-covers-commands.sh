# Every subcommand has a case that shows its --help, and is listed by the program. Help keeps to 100 columns but for lists of choices.
commands | while read -r command; do
	[ -f "$tests/cases/help-$command.sh" ] || echo "no case help-$command"
	warpreel --help | grep -q "^  $command " || echo "$command is not listed"
	warpreel "$command" --help | grep -vE '^(usage:|  --?[a-z])' | grep -E '^.{100}' || true
done
