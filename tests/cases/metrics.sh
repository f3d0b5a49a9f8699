# Efficiency and Utilization of profiles by hand. Of `toy`, a thread executes 16.875 instructions and blocks twice: at the barrier and where
# the load's result is stored. 8 blocks are one a multiprocessor, 800 are seven.
sm=${tests:?}/cases/lib/sm.ini
cp "$tests/cases/lib/profile.wrt.zst" profile.wrt.zst
warpreel metrics --profile profile.wrt.zst
warpreel metrics --profile profile.wrt.zst --platform "$sm"
warpreel metrics --profile profile.wrt.zst --platform "$sm" --kernel toy --set device.sm_count=66 --format tsv
refuses warpreel metrics --profile profile.wrt.zst --platform "$sm" --kernel toy --set sm.shared_bytes=2000
refuses warpreel metrics --profile profile.wrt.zst --kernel other
refuses warpreel metrics --profile profile.wrt.zst --platform "$platform"
predicted nothing.wrt
refuses warpreel metrics --profile nothing.wrt
refuses warpreel metrics
refuses warpreel metrics --profile profile.wrt.zst --set sm.shared_bytes=2000
refuses warpreel metrics --profile profile.wrt.zst more
