# SPDX-License-Identifier: MIT
# Smoothing an image whose parts are on two or more GPUs: a convolution each, then rows of the border to the neighbours. One process.
# python3 halo_torch.py [SIDE]
import sys, torch; from common import segments
torch.manual_seed(0)
gpus=torch.cuda.device_count(); side=int(sys.argv[1]) if len(sys.argv)>1 else 4096; rows=side//gpus
part=[torch.rand(1,1,rows+2,side,device=f'cuda:{g}') for g in range(gpus)]
weight=[torch.full((1,1,3,3),1/9,device=f'cuda:{g}') for g in range(gpus)]
def step():
    for g in range(gpus): part[g][:,:,1:-1,1:-1]=torch.nn.functional.conv2d(part[g],weight[g])
    for g in range(gpus-1):
        part[g+1][:,:,:1].copy_(part[g][:,:,-2:-1],non_blocking=True); part[g][:,:,-1:].copy_(part[g+1][:,:,1:2],non_blocking=True)
def sync():
    for g in range(gpus): torch.cuda.synchronize(g)
segments(step, sync, push=torch.cuda.nvtx.range_push, pop=torch.cuda.nvtx.range_pop)
