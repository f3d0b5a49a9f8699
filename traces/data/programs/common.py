# SPDX-License-Identifier: MIT
# What the programs share: ranges of some steps each, timed by the host, and how fast Python runs without CUDA, before and after.
import time, statistics, sys
def plain(n=200000):
    t=time.perf_counter(); x=0
    for i in range(n): x+=i*i&7
    return (time.perf_counter()-t)*1e3
def segments(step, sync, push, pop, steps=10, count=12, warm=10):
    before=plain()
    for _ in range(warm): step()
    sync(); times=[]
    for _ in range(count):
        push("segment"); t=time.perf_counter()
        for _ in range(steps): step()
        sync(); times.append((time.perf_counter()-t)*1e6); pop()
    print("SEG us: median %.1f min %.1f max %.1f n %d plain ms: %.2f %.2f" % (statistics.median(times), min(times), max(times), count, before, plain()), flush=True)
    print("ALL", " ".join("%.1f"%x for x in times), flush=True)
