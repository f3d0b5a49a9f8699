# Blocks a multiprocessor holds: by hand, from profiles, over all sizes; what does not fit says so.
sm=${tests:?}/cases/lib/sm.ini
cp "$tests/cases/lib/profile.wrt.zst" profile.wrt.zst
warpreel occupancy --platform "$sm" --threads 128 --registers 41 --shared 20000
warpreel occupancy --platform "$sm" --threads 128 --registers 41 --shared 20000 --format tsv
warpreel occupancy --platform "$sm" --threads 128 --registers 41 --set sm.register_count=32768
warpreel occupancy --platform "$sm" --profile profile.wrt.zst
warpreel occupancy --platform "$sm" --profile profile.wrt.zst --kernel toy --threads 1024 --registers 33
warpreel occupancy --platform "$sm" --registers 70 --sweep --format tsv | columns threads,blocks_per_sm,occupancy,limit | sed -n '1p;2p;5p;$p'
refuses warpreel occupancy --platform "$sm" --threads 1025
refuses warpreel occupancy --platform "$sm" --threads 1024 --registers 65
refuses warpreel occupancy --platform "$sm" --threads 32 --registers 256
refuses warpreel occupancy --platform "$sm" --threads 32 --shared 232449
refuses warpreel occupancy --platform "$platform" --threads 32
refuses warpreel occupancy --platform "$sm" --profile profile.wrt.zst --kernel other
refuses warpreel occupancy --platform "$sm" --profile nowhere.wrt
refuses warpreel occupancy --platform "$sm"
refuses warpreel occupancy --threads 32
refuses warpreel occupancy --platform "$sm" --threads 32 --kernel toy
refuses warpreel occupancy --platform "$sm" --threads 32 more
refuses warpreel occupancy --platform "$sm" --sweep --threads 64
