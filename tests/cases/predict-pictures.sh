# Pictures' names stand in the configuration, which is words of 254 characters at most; a pipe is no picture, and nobody waits for one.
awk 'BEGIN { print "P2\n16 16\n255"; for (k = 0; k < 256; k++) print k }' >grey.pgm
ask() { refuses timeout 20 "${warpreel:?}" predict shape --platform h200x4 --image "$1"; }
cp grey.pgm 'grey picture.pgm' && ask 'grey picture.pgm'
ask 'grey.pgm lambda=7'
long=$(printf 'grey%.0s' $(seq 60)).pgm
cp grey.pgm "$long" && ask "$long"
mkfifo pipe.pgm && ask pipe.pgm
mkdir folder.pgm && ask folder.pgm
ask nosuch.pgm
warpreel predict shape --platform h200x4 --image grey.pgm --format tsv | columns solver,gpus
