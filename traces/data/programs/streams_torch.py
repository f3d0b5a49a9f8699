# SPDX-License-Identifier: MIT
# A cuDNN convolution, a Triton kernel, and a sum on a second stream.
import torch, triton, triton.language as tl; from common import segments
torch.backends.cudnn.benchmark=True; torch.manual_seed(0)
@triton.jit
def scale(p, q, n, B: tl.constexpr):
    i=tl.program_id(0)*B+tl.arange(0,B); k=i<n
    tl.store(q+i, tl.load(p+i,mask=k)*1.5+1, mask=k)
c=torch.nn.Conv2d(64,64,3,padding=1).cuda().to(memory_format=torch.channels_last); x=torch.randn(16,64,56,56,device='cuda').to(memory_format=torch.channels_last)
s1=torch.cuda.Stream()
def step():
    with torch.no_grad():
        y=c(x); q=torch.empty_like(y); n=y.numel(); scale[(triton.cdiv(n,1024),)](y,q,n,B=1024)
        e=torch.cuda.Event(); e.record(); s1.wait_event(e)
        with torch.cuda.stream(s1): r=q.sum()
        f=torch.cuda.Event(); f.record(s1); torch.cuda.current_stream().wait_event(f)
segments(step, torch.cuda.synchronize, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
