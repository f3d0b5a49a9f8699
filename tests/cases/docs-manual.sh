# The manuals are well-formed, and the page of the commands has each command and each of its options.
mandoc -Tlint -Wwarning "$root"/docs/*.[15]
page=$root/docs/warpreel.1
for command in $(commands); do
	awk -v section="$command" '/^\.S[sh] / { here = ($2 == section) } here' "$page" >section
	[ -s section ] || echo "no section for $command"
	warpreel "$command" --help | sed -n 's/^  -\(-*[a-z][-a-z]*\).*/\1/p' | while read -r option; do
		# .Fl o, .Fl -gpus; options that several commands share are described once for all
		grep -q -- "Fl $option\b" "$page" || echo "$command: no word of -$option"
	done
done
