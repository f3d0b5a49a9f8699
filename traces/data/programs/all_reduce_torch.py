# SPDX-License-Identifier: MIT
# A product and an all-reduce by NCCL, a process a GPU.
import os, torch, torch.distributed as dist, torch.multiprocessing as mp
from common import segments
def work(rank, world):
    os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='29511'); torch.cuda.set_device(rank)
    dist.init_process_group('nccl', rank=rank, world_size=world)
    t=torch.ones(1<<22, device='cuda'); a=torch.randn(2048,2048,device='cuda')
    def step():
        b=a@a; dist.all_reduce(t); t.mul_(0.5)
    segments(step, torch.cuda.synchronize, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
    dist.destroy_process_group()
if __name__=='__main__': mp.spawn(work, args=(2,), nprocs=2)
