# The gate of NCCL's recordings says what it lacks, and takes neither the stand-in for NCCL's library nor a program that fails for one that passes.
mkdir bin out folder
printf '#!/bin/sh\necho "GPU 0: one"\n' >bin/nvidia-smi
printf '#!/bin/sh\n"$@"\n' >bin/program
chmod +x bin/*
PATH=$PWD/bin:$PATH
export WARPREEL="$PWD/bin/program"
sh "$root/tests/nccl_gate.sh" true out || echo "exit $?"
printf '#!/bin/sh\necho "GPU 0: one"\necho "GPU 1: another"\n' >bin/nvidia-smi
sh "$root/tests/nccl_gate.sh" true out folder || echo "exit $?"
touch folder/libnccl.so.2
cat >out/nccl_ring <<'P'
#!/bin/sh
[ "$1" != threads ] || exit 3
for k in $5 1 2 3; do echo "core_us 10$k.0"; done
echo right
P
chmod +x out/nccl_ring
cat >bin/program <<'P'
#!/bin/sh
case $1 in record) exit 0 ;; esac
P
sh "$root/tests/nccl_gate.sh" true out folder || echo "exit $?"
GATE_SECONDS=0 sh "$root/tests/nccl_gate.sh" true out folder | tail -n 2
touch out/group_small.virtual.wrt.zst out/group_small.true.wrt.zst
cat >bin/program <<'P'
#!/bin/sh
case $1 in compare) echo "${SAID:-7 operations differ}"; exit 1 ;; replay) echo "  core loop   12.5 us" ;; esac
P
sh "$root/tests/nccl_gate.sh" compare out | sed -n '1,4p; $p'
SAID="every operation of A is in B, in the same order on each thread; B has besides: 2 copy" sh "$root/tests/nccl_gate.sh" compare out | sed -n '2,4p; $p'
