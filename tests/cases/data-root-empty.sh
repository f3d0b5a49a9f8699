# A root that is set to nothing is none: shipped files are found beside the program.
WARPREEL_ROOT='' warpreel predict rbsor --platform h200x4 --size 512 --format tsv | columns solver
