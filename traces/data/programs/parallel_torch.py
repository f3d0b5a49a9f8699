# SPDX-License-Identifier: MIT
# Training steps of a perceptron, a process a GPU: data parallel (gradients all-reduced), then its layers divided over the GPUs.
# python3 -m torch.distributed.run --nproc-per-node 4 traces/data/programs/parallel_torch.py
import os, torch, torch.distributed as dist; from common import segments
rank=int(os.environ['LOCAL_RANK']); torch.cuda.set_device(rank); torch.manual_seed(rank); d='cuda'
dist.init_process_group('nccl'); world=dist.get_world_size()
cuda=torch.cuda; marks=dict(push=cuda.nvtx.range_push, pop=cuda.nvtx.range_pop)
m=torch.nn.Sequential(torch.nn.Linear(1024,4096),torch.nn.GELU(),torch.nn.Linear(4096,1024)).to(d)
p=torch.nn.parallel.DistributedDataParallel(m,device_ids=[rank]); o=torch.optim.SGD(p.parameters(),lr=1e-3)
x=torch.randn(512,1024,device=d); y=torch.randn(512,1024,device=d)
def data():
    o.zero_grad(set_to_none=True); ((p(x)-y)**2).mean().backward(); o.step()
segments(data, cuda.synchronize, **marks)
a=torch.randn(4096,16384//world,device=d)*1e-2; b=torch.randn(16384//world,4096,device=d)*1e-2; z=torch.randn(512,4096,device=d)
def layers():
    h=torch.relu(z@a)@b; dist.all_reduce(h); return h
segments(layers, cuda.synchronize, **marks)
dist.destroy_process_group()
