warpreel solve bfs --help
