# SPDX-License-Identifier: MIT
"""Runs that differ by chance alone, or in one function, as lines for fixture.

simulate.py SEED SAMPLES SLOWER JITTER PREFIX RUNS

30 functions, "hot" with half of the time; hot takes SLOWER times as long.  Each
run takes JITTER of its functions' time more or less.
"""
import math
import random
import sys

seed, samples, slower, jitter, prefix, runs = sys.argv[1:]
random.seed(int(seed))


def poisson(mean):
    if mean > 50:
        return max(0, round(random.gauss(mean, math.sqrt(mean))))
    count, chance = 0, random.random()
    while chance > math.exp(-mean):
        count += 1
        chance *= random.random()
    return count


times = {"hot": 0.5 * float(slower)}
for i in range(29):
    times["f%d" % i] = 0.5 / (i + 1) / sum(1 / (j + 1) for j in range(29))
for run in range(int(runs)):
    took = {n: t * random.gauss(1, float(jitter)) for n, t in times.items()}
    with open("%s%d.lines" % (prefix, run), "w") as out:
        print("command\t./prog\nrate\t1000\nmap\t/opt/prog\taa\t0x1000\t0x9000\t0",
              file=out)
        for nr, (name, time) in enumerate(took.items()):
            count = poisson(int(samples) * time / sum(took.values()))
            if count:
                print("sample\t%d\t1:%#x:%s" % (count, 0x1000 + 16 * nr, name),
                      file=out)
