# SPDX-License-Identifier: MIT
# Training steps of a perceptron with Adam, launched one by one.
import torch; from common import segments
torch.manual_seed(0); d='cuda'
m=torch.nn.Sequential(torch.nn.Linear(1024,4096),torch.nn.GELU(),torch.nn.Linear(4096,1024)).to(d)
o=torch.optim.Adam(m.parameters(),lr=1e-3); x=torch.randn(512,1024,device=d); y=torch.randn(512,1024,device=d)
def step():
    o.zero_grad(set_to_none=True); l=((m(x)-y)**2).mean(); l.backward(); o.step()
segments(step, torch.cuda.synchronize, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
