# SPDX-License-Identifier: MIT
# A forward and backward pass captured into a graph.
import torch; from common import segments
torch.manual_seed(0); d='cuda'
m=torch.nn.Sequential(torch.nn.Linear(1024,2048),torch.nn.GELU(),torch.nn.Linear(2048,1024)).to(d)
x=torch.randn(256,1024,device=d)
s=torch.cuda.Stream(); s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    for _ in range(3):
        y=m(x); (y*y).mean().backward()
torch.cuda.current_stream().wait_stream(s)
g=torch.cuda.CUDAGraph()
for p in m.parameters(): p.grad=None
with torch.cuda.graph(g):
    y=m(x); l=(y*y).mean(); l.backward()
segments(lambda: g.replay(), torch.cuda.synchronize, steps=20, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
