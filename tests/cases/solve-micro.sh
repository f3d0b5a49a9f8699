# Every microkernel on the host: results depend on the seed, not on how often they are made anew.
for kernel in $(warpreel solve micro --help | sed -n 's/^  --kernel \([a-z0-9_|]*\).*/\1/p' | tr '|' ' '); do
	case $kernel in unseen_* | special) continue ;; esac # special: what expf gives is the library's
	warpreel solve micro --kernel "$kernel" --size 100 --iterations 2 --format tsv | columns config,residual,checksum | tail -n 1
done
sum() { warpreel solve micro --size 100 --format tsv "$@" | columns checksum | tail -n 1; }
[ "$(sum --iterations 1)" = "$(sum --iterations 20)" ] && echo "copying again changes nothing"
[ "$(sum --seed 1)" = "$(sum --seed 2)" ] || echo "another seed, other values"
[ "$(sum --kernel transpose)" = "$(sum --kernel transpose_padded)" ] && echo "a transpose is a transpose"
[ "$(sum --kernel atomics --iterations 1)" = "$(sum --kernel atomics --iterations 2)" ] || echo "counts add up"
