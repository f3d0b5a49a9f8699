#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures on a GPU what of paper 003 is answered and not measured: lists/weak_blind3.list, 20 runs of each line, and the ages of
# lists/weak_ages3.list. About 15 s of an H200. Its folder is what append_003.sh takes.
#   sh kernels/weak/measure_003.sh FOLDER [option of warpreel batch...]     (WARPREEL: the program)
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
warpreel=${WARPREEL:-$root/build/warpreel} to=$1
shift
lists=${LISTS:-$root/traces/data/lists}
mkdir -p "$to/ages3"
cd "$to"
"$warpreel" batch "$lists/weak_blind3.list" --gpus 1 --repeat 20 -o blind3.tsv --runs blind3_runs.tsv "$@"
"$warpreel" batch "$lists/weak_ages3.list" --gpus 1 --repeat 1 --warm-up-ms -1 -o ages3.tsv "$@"
