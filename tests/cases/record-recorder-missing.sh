export WARPREEL_RECORDER=nothing.so
refuses warpreel record -o run.wrt -- true
left_behind
