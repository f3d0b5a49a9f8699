# SPDX-License-Identifier: MIT
# Forward and backward over two GPUs, the backward pass in threads of its own.
import torch; from common import segments
torch.manual_seed(0)
a=torch.nn.Sequential(torch.nn.Linear(1024,4096),torch.nn.ReLU(),torch.nn.Linear(4096,1024)).to('cuda:0')
b=torch.nn.Sequential(torch.nn.Linear(1024,4096),torch.nn.ReLU(),torch.nn.Linear(4096,1024)).to('cuda:1')
x=torch.randn(4096,1024,device='cuda:0'); h=torch.randn(4096,1024).pin_memory()
def step():
    z=h.to('cuda:0',non_blocking=True)+x
    l=(b(a(z).to('cuda:1'))**2).mean(); l.backward()
    for p in list(a.parameters())+list(b.parameters()): p.grad=None
def sync(): torch.cuda.synchronize(0); torch.cuda.synchronize(1)
segments(step, sync, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
