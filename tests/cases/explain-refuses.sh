# What only a prediction of a whole run could honour is no option here, nor in the help.
refuses warpreel explain rbsor --no-bounds --kernel-model scaled
refuses warpreel explain rbsor --no-bounds --profile z.wrt
refuses warpreel explain rbsor --no-bounds -o z.wrt
left_behind
