# SPDX-License-Identifier: MIT
# A jitted product and tanh.
import os; os.environ['XLA_PYTHON_CLIENT_PREALLOCATE']='false'
import jax, jax.numpy as jnp; from common import segments
@jax.jit
def f(x): return jnp.tanh(x@x)*0.01+x
x=jnp.ones((1024,1024)); st=[x]
def step(): st[0]=f(st[0])
import cupy as cp
segments(step, lambda: st[0].block_until_ready(), steps=20, push=cp.cuda.nvtx.RangePush, pop=cp.cuda.nvtx.RangePop)
