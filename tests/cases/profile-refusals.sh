export WARPREEL_RECORDER=nothing.so
refuses warpreel profile -o FILE.wrt -- true
refuses warpreel profile -- true
refuses warpreel profile -o FILE.wrt
refuses warpreel profile -o FILE.wrt --one-by-one --passes-of counters -- true
refuses warpreel profile -o FILE.wrt --one-by-one --passes-of sass -- true
refuses warpreel profile -o FILE.wrt --one-by-one --passes-of sass --kernel 'k*' -- true
left_behind
