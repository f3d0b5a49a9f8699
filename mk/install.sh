#!/bin/sh
# SPDX-License-Identifier: MIT
# Copies what was built, and the data it reads, under $DESTDIR$prefix. Called by make install.
set -eu
root=${DESTDIR:-}${prefix:?}
put() { # mode, folder below the prefix, files
	mode=$1 target=$root/$2
	shift 2
	install -d "$target"
	for file in "$@"; do
		[ ! -f "$file" ] || install -m "$mode" "$file" "$target/"
	done
}
put 755 bin "$BUILD/warpreel"
put 755 lib/warpreel "$BUILD/libwarpreel-cuda.so" "$BUILD/libwarpreel-cuda-blocks.so" "$BUILD/libwarpreel-recorder.so" "$BUILD/libwarpreel-virtual.so" "$BUILD/libwarpreel-messages.so"
share=share/warpreel
put 644 $share/model model/splits.tsv
put 644 $share/plots plots/sweep.sh plots/sweep.gp plots/style.gp
put 644 $share/model/platforms model/platforms/*.ini
put 644 $share/model/cosim model/cosim/*.tsv
put 644 $share/model/intervals model/intervals/*.tsv
put 644 $share/model/timed model/timed/*.tsv
# Everything under traces/data, as it lies there: lists, tables and recorded runs of every platform.
find traces/data -type d | while read -r folder; do
	put 644 "$share/$folder" "$folder"/*
done
put 644 share/man/man1 docs/*.1
put 644 share/man/man5 docs/*.5
# Pages lie as they do here, so that their links hold.
put 644 share/doc/warpreel README.md ARCHITECTURE.md HACKING.md CHANGES.md LICENSE
find docs -type d ! -name completion | while read -r folder; do
	put 644 "share/doc/warpreel/$folder" "$folder"/*.md "$folder"/*.svg "$folder"/*.tsv
done
install -d "$root/share/bash-completion/completions"
install -m 644 docs/completion/warpreel.bash "$root/share/bash-completion/completions/warpreel"
