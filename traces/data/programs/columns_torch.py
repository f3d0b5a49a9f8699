# SPDX-License-Identifier: MIT
# A layer divided by columns over all GPUs, in one process and one thread: what each makes of it goes to the first, which adds a second layer.
# python3 columns_torch.py [WIDTH]
import sys, torch; from common import segments
torch.manual_seed(0)
gpus=torch.cuda.device_count(); wide=int(sys.argv[1])//gpus if len(sys.argv)>1 else 8192//gpus
first=[torch.randn(2048,wide,device=f'cuda:{g}')*1e-2 for g in range(gpus)]; second=torch.randn(wide*gpus,2048,device='cuda:0')*1e-2
x=torch.randn(1024,2048,device='cuda:0')
def step():
    global x
    parts=[torch.relu(x.to(f'cuda:{g}',non_blocking=True)@first[g]) for g in range(gpus)]
    x=torch.nn.functional.normalize(torch.cat([p.to('cuda:0',non_blocking=True) for p in parts],1)@second)
def sync():
    for g in range(gpus): torch.cuda.synchronize(g)
segments(step, sync, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
