# Breadth-first search: both barriers find the same levels, and what cannot be is refused.
for barrier in host block; do warpreel solve bfs --backend cpu --vertices 500 --edges 700 --barrier $barrier --format tsv | columns iterations,residual | tail -n 1; done | uniq | wc -l
warpreel solve bfs --backend cpu --vertices 500 --edges 700 --format tsv | columns residual
refuses warpreel solve bfs --backend cpu --vertices 0
refuses warpreel solve bfs --backend cpu --vertices 12000
refuses warpreel solve bfs --backend cpu --gpus 2
