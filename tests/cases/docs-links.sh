# Every page that a page links to is there, with the section it names; so is every page that a source file, a list or a script names.
# shellcheck disable=SC2016 # backquotes of Markdown
cd "$root" || exit 1
pages=$(ls ./*.md docs/*.md docs/*/*.md traces/data/*.md)
# The sections of a page, as links name them.
sections() { sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }
for page in $pages; do
	sed 's/`[^`]*`//g' "$page" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^http' | sort -u | while read -r link; do
		file=${link%%#*}
		target=$(dirname "$page")/$file
		[ "$file" != "" ] || target=$page
		[ -e "$target" ] || echo "$page: no $link"
		case $link in
		*#*) sections "$target" | grep -qx -e "${link#*#}" || echo "$page: no section $link" ;;
		esac
	done
done
find kernels traces model sim plots mk docs tests main.c Makefile -type f \( -name '*.[ch]' -o -name '*.cu*' -o -name '*.def' -o -name '*.list' -o -name '*.sh' \
	-o -name '*.ini' -o -name '*.mk' -o -name '*.py' -o -name Makefile \) -exec grep -o -H 'docs/[a-z0-9_/-]*\.md' {} + | sort -u | while IFS=: read -r file page; do
	[ -e "$page" ] || echo "$file: no $page"
done
# What a page names in backquotes and lies in a room, or is the name of a source, is there; P, x and <...> stand for a name.
for page in ARCHITECTURE.md docs/model.md docs/numbers.md docs/recorder.md docs/measuring.md docs/glossary.md; do
	grep -o '`[A-Za-z0-9_/.-]*`' "$page" | tr -d '`' | sort -u | while read -r name; do
		case $name in
		*/P/* | */P.*) ;;
		kernels/* | traces/* | model/* | sim/* | plots/* | mk/* | docs/* | tests/*) [ -e "$name" ] || echo "$page: no $name" ;;
		cupti*) ;;
		*/*) ;;
		[a-z]*.c | [a-z]*.h | [a-z]*.cu | [a-z]*.def | [a-z]*.cuh)
			[ "$(find kernels traces model sim tests main.c -name "$name")" != "" ] || echo "$page: no $name" ;;
		esac
	done
done
echo "links and sections are there"
