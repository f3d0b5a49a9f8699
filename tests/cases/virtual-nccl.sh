# Operations of NCCL on virtual GPUs: which rows meet, what they take on a platform, what is said of it.
zstd -dq "${tests:?}/cases/lib/virtual.wrt.zst" -o nccl.wrt
# One thread drives both GPUs: an all-reduce of 8000 bytes, then a group of an exchange of 1000 bytes.
row() { echo "INSERT INTO WARPREEL_COLLECTIVE VALUES ($1, $1 + 50000, 9495904822, $2, $3, 77, 2, $4, $5, $6, $4, $4 + 1, 13 + 13 * $4, NULL);"; }
sqlite3 nccl.wrt "CREATE TABLE WARPREEL_COLLECTIVE (start, end, globalTid, kind, bytes, communicator, ranks, rank, peer, groupCall, deviceId, contextId, streamId, correlationId);
$(for rank in 0 1; do row 383000000 2 8000 $rank NULL 1; done)
$(for rank in 0 1; do row 384000000 0 1000 $rank $((1 - rank)) 2; row 384000000 1 1000 $rank $((1 - rank)) 2; done)"
warpreel info nccl.wrt 2>/dev/null | grep NCCL
warpreel replay nccl.wrt --platform "${platform:?}" -o out.wrt 2>/dev/null | grep -E 'NCCL|GPUs of'
sqlite3 -separator ' ' out.wrt "SELECT deviceId, value, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON demangledName = StringIds.id WHERE value LIKE 'NCCL%' ORDER BY start, deviceId"
warpreel replay nccl.wrt --platform "$platform" --set nccl.least_ns=5000 --set nccl.step_ns=600 --set nvlink.bytes_per_s=1e9 -o out.wrt 2>/dev/null | grep NCCL
sqlite3 -separator ' ' out.wrt "SELECT deviceId, value, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON demangledName = StringIds.id WHERE value LIKE 'NCCL%' ORDER BY start, deviceId"
# Operation for operation: the same of both, more than without.
warpreel compare --operations nccl.wrt nccl.wrt 2>/dev/null | tail -n 1
warpreel compare --operations nccl.wrt "$tests/cases/lib/virtual.wrt.zst" 2>/dev/null | grep -E 'NCCL|differ|same'
# Kernels of NCCL in a recording on two GPUs: the same where they are for the same.
sqlite3 out.wrt "UPDATE StringIds SET value = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)' WHERE value = 'NCCL AllReduce'"
warpreel compare --operations nccl.wrt out.wrt 2>/dev/null | grep '^launch'
sqlite3 out.wrt "UPDATE StringIds SET value = 'ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)' WHERE value = 'NCCL SendRecv'"
warpreel compare --operations nccl.wrt out.wrt 2>/dev/null | grep '^launch'
# Rows that cannot be.
sqlite3 nccl.wrt "UPDATE WARPREEL_COLLECTIVE SET rank = 7 WHERE rowid = 3"
refuses warpreel replay nccl.wrt --platform "$platform" 2>&1 | grep -v altered
