# What is killed at any moment leaves the old file or the new one, whole (tests/kill_anywhere.sh; a thousand moments were tried once: docs/lab/kills.md).
here=$PWD
bash "$tests/kill_anywhere.sh" "${warpreel:?}" "$here/kills" 3 predict time sweep calibrate | sed 's/, [0-9]* old, [0-9]* new//; s/, [0-9]* rows kept beside the old one//'
