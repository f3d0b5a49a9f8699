# Not a number, out of range, not one of the words, no value, a value for a flag, two solvers, none, an unknown one.
refuses warpreel solve rbsor --gpus two
refuses warpreel solve rbsor --gpus 0
refuses warpreel solve rbsor --gpus 65
refuses warpreel solve rbsor --precision f16
refuses warpreel solve rbsor --gpus
refuses warpreel replay x --allow-extrapolation=yes
refuses warpreel solve rbsor rbsor
refuses warpreel solve --gpus 1
refuses warpreel solve multigrid
refuses warpreel predict multigrid
refuses warpreel predict rbsor rbsor
refuses warpreel replay
refuses warpreel compare one
refuses warpreel check
refuses warpreel dump a b
refuses warpreel info
refuses warpreel info --format xml
refuses warpreel record
refuses warpreel record -o x.wrt
refuses warpreel record -o x.wrt true
refuses warpreel record -o x.wrt --spool y -- true
refuses warpreel record -o x.wrt --spool y z -- true
refuses warpreel profile -o x.wrt true -- true
refuses warpreel profile -o x.wrt --join y -- true
refuses warpreel profile -o x.wrt --join
refuses warpreel bench now
refuses warpreel predict rbsor 4096
