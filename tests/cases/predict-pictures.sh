# Pictures' names stand in the configuration, which is words, 4094 characters at most; a pipe is no picture, and nobody waits for one.
awk 'BEGIN { print "P2\n16 16\n255"; for (k = 0; k < 256; k++) print k }' >grey.pgm
ask() { refuses timeout 20 "${warpreel:?}" predict shape --platform h200x4 --image "$1"; }
cp grey.pgm 'grey picture.pgm' && ask 'grey picture.pgm'
ask 'grey.pgm lambda=7'
ask "$(printf './%.0s' $(seq 2040))grey.pgm"
long=$(printf './%.0s' $(seq 500))grey.pgm
warpreel predict shape --platform h200x4 --image "$long" --format tsv | columns solver,gpus
mkfifo pipe.pgm && ask pipe.pgm
mkdir folder.pgm && ask folder.pgm
ask nosuch.pgm
warpreel predict shape --platform h200x4 --image grey.pgm --format tsv | columns solver,gpus
