# SPDX-License-Identifier: MIT
# A Jacobi step of plain array operations and a sum brought back each step.
import cupy as cp; from common import segments
n=2048; u=cp.zeros((n,n),dtype=cp.float32); u[0]=1
def step():
    global u
    v=u.copy(); v[1:-1,1:-1]=0.25*(u[:-2,1:-1]+u[2:,1:-1]+u[1:-1,:-2]+u[1:-1,2:]); u=v
    return float(cp.abs(u[1:-1,1:-1]).sum())
segments(step, lambda: cp.cuda.Device().synchronize(), steps=10, push=cp.cuda.nvtx.RangePush, pop=cp.cuda.nvtx.RangePop)
