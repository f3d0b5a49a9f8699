# SPDX-License-Identifier: MIT
# A small network trained data-parallel by torchrun, a process a GPU: torchrun --nproc-per-node 2 ddp_torch.py
import os, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from common import segments
rank = int(os.environ['LOCAL_RANK']); torch.cuda.set_device(rank)
dist.init_process_group('nccl')
net = DistributedDataParallel(torch.nn.Sequential(*[m for _ in range(6) for m in (torch.nn.Linear(1024, 1024), torch.nn.ReLU())]).cuda(), device_ids=[rank])
best = torch.optim.SGD(net.parameters(), lr=1e-3); x = torch.randn(512, 1024, device='cuda')
def step():
    best.zero_grad(set_to_none=True); net(x).square().mean().backward(); best.step()
segments(step, torch.cuda.synchronize, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
dist.destroy_process_group()
