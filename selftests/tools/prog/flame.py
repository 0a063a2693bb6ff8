# SPDX-License-Identifier: MIT
"""Compares the samples of 20 functions below 5 callers with their CPU time.

flame.py FOLDED MEASURED

FOLDED is what export --folded printed, MEASURED what truth.c wrote of callers.
Chi-square over the 100 pairs is not above what one in a thousand is.
"""
import re
import sys

measured = {}
for line in open(sys.argv[2]):
    caller, nr, ns = map(int, line.split())
    measured[caller, nr] = ns
samples = dict.fromkeys(measured, 0)
everything = 0
for line in open(sys.argv[1]):
    path, count = line.rsplit(" ", 1)
    everything += int(count)
    pair = re.search(r";main;by_callers;caller_(\d);call;work_(\d\d)$", path)
    if pair:
        samples[int(pair.group(1)), int(pair.group(2))] += int(count)
n = sum(samples.values())
if len(measured) != 100 or n < 0.9 * everything or n < 5000:
    sys.exit("too few samples in the pairs")
scale = n / sum(measured.values())
chi = sum((samples[pair] - ns * scale) ** 2 / (ns * scale)
          for pair, ns in measured.items())
freedom = len(measured) - 1
v = 2 / (9 * freedom)
limit = freedom * (1 - v + 3.0902 * v ** 0.5) ** 3
print("%d samples, %d in the pairs, chi-square %.1f, at most %.1f" %
      (everything, n, chi, limit))
if chi > limit:
    sys.exit("not the shares that were measured")
