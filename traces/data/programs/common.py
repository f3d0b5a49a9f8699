# SPDX-License-Identifier: MIT
# What the programs share: ranges of some steps each, timed by the host.
import time, statistics, sys
def segments(step, sync, push, pop, steps=10, count=12, warm=10):
    for _ in range(warm): step()
    sync(); times=[]
    for _ in range(count):
        push("segment"); t=time.perf_counter()
        for _ in range(steps): step()
        sync(); times.append((time.perf_counter()-t)*1e6); pop()
    print("SEG us: median %.1f min %.1f max %.1f n %d" % (statistics.median(times), min(times), max(times), count), flush=True)
    print("ALL", " ".join("%.1f"%x for x in times), flush=True)
