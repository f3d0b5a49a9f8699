#!/bin/sh
# SPDX-License-Identifier: MIT
# Copies what was built, and the data it reads, under $DESTDIR$prefix. Called by make install.
set -eu
root=${DESTDIR:-}${prefix:?}
put() { # mode, folder below the prefix, files
	mode=$1 folder=$root/$2
	shift 2
	install -d "$folder"
	for file in "$@"; do
		[ ! -f "$file" ] || install -m "$mode" "$file" "$folder/"
	done
}
put 755 bin "$BUILD/warpreel"
# The program looks for them beside itself and in lib/warpreel.
put 755 lib/warpreel "$BUILD/libwarpreel-cuda.so" "$BUILD/libwarpreel-recorder.so"
for library in libwarpreel-cuda.so libwarpreel-recorder.so; do
	[ ! -f "$root/lib/warpreel/$library" ] || ln -sf "../lib/warpreel/$library" "$root/bin/$library"
done
share=share/warpreel
put 644 $share/model model/holdout.tsv
put 644 $share/model/platforms model/platforms/*.ini
put 644 $share/model/intervals model/intervals/*.tsv
for folder in traces/data/*; do
	put 644 "$share/$folder" "$folder"/*.tsv "$folder"/README.md
	for kind in profile replay lists; do
		put 644 "$share/$folder/$kind" "$folder/$kind"/*
	done
done
put 644 share/man/man1 docs/*.1
put 644 share/man/man5 docs/*.5
put 644 share/doc/warpreel README.md ARCHITECTURE.md CHANGES.md LICENSE docs/*.md
install -d "$root/share/bash-completion/completions"
install -m 644 docs/completion/warpreel.bash "$root/share/bash-completion/completions/warpreel"
