# SPDX-License-Identifier: MIT
# Public programs of Python, driven in segments: python3 public_python.py NAME. PUBLIC is a folder with model.py (karpathy/nanoGPT, commit
# 3adf61e) and cg.py, black_scholes.py and monte_carlo.py (examples of cupy/cupy, commit 6b6d956), none of them changed.
import os, sys
sys.path.insert(0, os.environ['PUBLIC'])
from common import segments
def cg():  # conjugate gradients, dense, with a norm brought back each iteration
    import cupy, numpy
    from cg import fit
    a = numpy.random.RandomState(1).randint(-50, 50, size=(1024, 1024)); a = cupy.asarray((a @ a.T).astype(numpy.float64)); b = a @ cupy.ones(1024)
    return lambda: fit(a, b, 0, 10), cupy.cuda.Device().synchronize
def black_scholes():  # plain array operations, and the same in one kernel
    import cupy
    from black_scholes import black_scholes as plain, black_scholes_kernel as kernel
    s, x, t = (cupy.random.rand(100000) * 30 + 1 for _ in range(3))
    def step(): plain(cupy, s, x, t, 0.02, 0.3); kernel(s, x, t, 0.02, 0.3)
    return step, cupy.cuda.Device().synchronize
def monte_carlo_two():  # one thread, a kernel on each of two GPUs in turn
    import cupy
    from monte_carlo import monte_carlo_kernel as kernel
    of = []
    for g in range(2):
        with cupy.cuda.Device(g): of.append([cupy.random.rand(64)[:, None] * 30 + 1 for _ in range(3)] + [cupy.empty((64, 1000))])
    def step():
        for g in range(2):
            with cupy.cuda.Device(g): kernel(*of[g][:3], 0.02, 0.3, 50, g, of[g][3])
        for g in range(2):
            with cupy.cuda.Device(g): cupy.cuda.Stream.null.synchronize()
    return step, lambda: None
def nanogpt(device=0, wrap=lambda m: m):  # training, an optimizer of its own choice
    import torch
    from model import GPT, GPTConfig
    torch.cuda.set_device(device); torch.manual_seed(1)
    net = GPT(GPTConfig(block_size=128, vocab_size=1024, n_layer=4, n_head=4, n_embd=256)).cuda()
    best = net.configure_optimizers(0.1, 1e-3, (0.9, 0.95), 'cuda'); net = wrap(net)
    x = torch.randint(1024, (16, 128), device='cuda')
    def step():
        _, loss = net(x, x); loss.backward(); best.step(); best.zero_grad(set_to_none=True)
    return step, torch.cuda.synchronize
def nanogpt_generate():  # tokens one by one
    import torch
    from model import GPT, GPTConfig
    torch.manual_seed(1)
    net = GPT(GPTConfig(block_size=128, vocab_size=1024, n_layer=4, n_head=4, n_embd=256)).cuda().eval()
    x = torch.zeros((1, 1), dtype=torch.long, device='cuda')
    return lambda: net.generate(x, 8), torch.cuda.synchronize
def run(make):
    step, sync = make()
    if 'torch' in sys.modules:
        import torch
        push, pop = torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop
    else:
        import cupy
        push, pop = cupy.cuda.nvtx.RangePush, cupy.cuda.nvtx.RangePop
    segments(step, sync, push=push, pop=pop)
def rank(number, ranks):
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='29519')
    import torch
    torch.cuda.set_device(number); dist.init_process_group('nccl', rank=number, world_size=ranks)
    run(lambda: nanogpt(number, lambda net: DistributedDataParallel(net, device_ids=[number])))
    dist.destroy_process_group()
if __name__ == '__main__':
    if sys.argv[1] == 'nanogpt_two':
        import torch.multiprocessing as mp
        mp.spawn(rank, args=(2,), nprocs=2)
    else: run(globals()[sys.argv[1]])
