# SPDX-License-Identifier: MIT
# A process a GPU: training steps of a perceptron whose gradients are all-reduced (data), or layers divided over the GPUs (layers).
# python3 -m torch.distributed.run --nproc-per-node 2 ranks_torch.py data|layers [WIDTH]
import os, sys, torch, torch.distributed as dist; from common import segments
rank=int(os.environ['LOCAL_RANK']); torch.cuda.set_device(rank); torch.manual_seed(rank); d='cuda'
dist.init_process_group('nccl'); world=dist.get_world_size()
way=sys.argv[1]; wide=int(sys.argv[2]) if len(sys.argv)>2 else 4096
if way=='data':
    m=torch.nn.Sequential(torch.nn.Linear(1024,wide),torch.nn.GELU(),torch.nn.Linear(wide,1024)).to(d)
    p=torch.nn.parallel.DistributedDataParallel(m,device_ids=[rank]); o=torch.optim.SGD(p.parameters(),lr=1e-3)
    x=torch.randn(512,1024,device=d); y=torch.randn(512,1024,device=d)
    def step():
        o.zero_grad(set_to_none=True); ((p(x)-y)**2).mean().backward(); o.step()
else:
    a=torch.randn(4096,wide//world,device=d)*1e-2; b=torch.randn(wide//world,4096,device=d)*1e-2; z=torch.randn(512,4096,device=d)
    def step():
        h=torch.relu(z@a)@b; dist.all_reduce(h); return h
segments(step, torch.cuda.synchronize, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
dist.destroy_process_group()
