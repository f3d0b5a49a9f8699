# What the model warps itself costs: equal launches are priced once, whatever line they are in; the times are only looked at for sense.
cat >list <<END
# kernels
micro 1 kernel=copy4 size=1048576 block=256 work=0 iterations=20
micro 1 kernel=copy4 size=1048576 block=256 work=0 iterations=10   # the same launch
rbsor 1 size=514x514 precision=f32 kernel=tuned iterations=20

micro 1 kernel=copy4 size=4194304 block=64 work=0 iterations=20
END
warpreel bench --platform h200x4 --kernels list
warpreel bench --platform h200x4 --kernels list --format tsv >table
columns configs,launches <table
columns median_ms,p90_ms,max_ms,total_s,gpu_s,gpu_s_per_s <table |
	awk 'NR > 1 { print ($1 > 0 && $2 >= $1 && $3 >= $2 && $4 * 1000 >= $3 && $5 > 0 && $6 > 0 ? "as they should be" : $0) }'
refuses warpreel bench --platform h200x4 --kernels nowhere
echo '# nothing' >list
refuses warpreel bench --platform h200x4 --kernels list
echo 'micro one kernel=copy4' >list
refuses warpreel bench --platform h200x4 --kernels list
echo 'multigrid 1 size=64' >list
refuses warpreel bench --platform h200x4 --kernels list
echo 'micro 1 kernel=copy4 size=1048576' >list
refuses warpreel bench --platform h200x4 --kernels list --kernel-profiles "${tests:?}/cases/lib/profile.wrt.zst"
refuses warpreel bench --platform "${platform:?}" --kernels list
