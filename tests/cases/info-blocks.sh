# The blocks of instrumented launches, as paragraphs and as rows; a trace without any says how to get them.
trace=$tests/cases/lib/blocks.wrt.zst
warpreel info --blocks "$trace"
warpreel info --blocks --format tsv "$trace"
warpreel check "$trace" | grep -c '^ *[1-9].*blocks'
predicted plan.wrt
refuses warpreel info --blocks plan.wrt
# They need kernels, and a library that notes them.
refuses warpreel solve rbsor --size 16 --blocks 2 --backend cpu
WARPREEL_CUDA_BLOCKS=./missing.so refuses warpreel solve rbsor --size 16 --blocks 2 --backend cuda
# One line a block.
warpreel dump "$trace" | grep -c '^block'
