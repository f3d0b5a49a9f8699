warpreel time --help
warpreel time micro --help | sed -n "s/^  --\([a-z-]*\) .*/\1/p"
