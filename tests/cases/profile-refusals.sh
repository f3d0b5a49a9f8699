export WARPREEL_RECORDER=nothing.so
refuses warpreel profile -o FILE.wrt -- true
refuses warpreel profile -- true
refuses warpreel profile -o FILE.wrt
left_behind
