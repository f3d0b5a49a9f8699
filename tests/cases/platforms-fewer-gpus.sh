# Links of a machine of one GPU join one GPU: a run on one is answered, one on two is refused.
warpreel platforms rbsor --platform h200x4 --platform h100x1 --format tsv | columns platform,marked
warpreel predict rbsor --platform h200x4 --link h100x1 --format tsv | columns gpus
refuses warpreel predict rbsor --platform h200x4 --link h100x1 --gpus 2
