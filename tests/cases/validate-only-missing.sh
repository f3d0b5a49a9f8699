# A set asked for by name needs its measurements; one of all sets need not be there.
refuses warpreel validate --platform "$platform" --only kernels
refuses warpreel validate --platform h100x1 --only contention
refuses warpreel validate --platform "$platform" --only contention
