# A server of MPS for a recording, by a stand-in for NVIDIA's: begun before the command, which finds it, and ended behind it.
mkdir -p here none
cat >here/nvidia-cuda-mps-control <<'END'
#!/bin/sh
test -d "$CUDA_MPS_PIPE_DIRECTORY" && test "$CUDA_MPS_PIPE_DIRECTORY" = "$CUDA_MPS_LOG_DIRECTORY" && echo "control $1" >>server.log
[ "$1" = -d ] || cat >>server.log
echo to nobody
touch "$CUDA_MPS_PIPE_DIRECTORY/control"
exit "${ENDS:-0}"
END
chmod +x here/nvidia-cuda-mps-control
export WARPREEL_RECORDER=$warpreel
WARPREEL_VIRTUAL=$(ldd /bin/sh | awk '/libc\./ { print $3 }')
export WARPREEL_VIRTUAL
refuses warpreel record --mps -o run.wrt -- true
path=$PATH
# shellcheck disable=SC2016 # its own shell expands them
PATH=$PWD/here:$path refuses warpreel record --as-gpus 2 --mps -o run.wrt -- \
	sh -c 'echo "${CUDA_MPS_PIPE_DIRECTORY%-*}" >>server.log; echo "$CUDA_MPS_PIPE_DIRECTORY" >folder'
cat server.log
test ! -e "$(cat folder)" && echo "its folder is gone"
# It does not start, is not there, or another is set.
rm server.log
ENDS=3 PATH=$PWD/here:$path refuses warpreel record --as-gpus 2 --mps -o run.wrt -- sh -c 'echo was run'
PATH=$PWD/none refuses "$warpreel" record --as-gpus 2 --mps -o run.wrt -- /bin/sh -c 'echo was run'
CUDA_MPS_PIPE_DIRECTORY=/tmp/theirs refuses warpreel record --as-gpus 2 --mps -o run.wrt -- sh -c 'echo was run'
left_behind
