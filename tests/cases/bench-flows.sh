# Links alone: the columns; transfers that nothing else asks links for take their own time, and many are held back.
bench() { warpreel bench --platform "$platform" --seconds 0.01 --format tsv "$@"; }
bench --flows 512 >table
columns flows,gpus <table
columns transfers,held_back,stretch,transfers_per_s <table | awk 'NR > 1 { print ($1 > 0 && $2 > 0.9 && $3 > 1 && $4 > 0 ? "shared out" : $0) }'
bench --flows 1 --gpus 2 | columns flows,gpus,held_back,stretch
refuses bench --flows 2 --gpus 1
