# SPDX-License-Identifier: MIT
"""Compares the samples of 20 functions with the CPU time that each measured.

truth.py KIND ROWS MEASURED [NM]	one program; it adds to sums.txt
truth.py				all that are in sums.txt

ROWS is what report --csv printed, MEASURED what truth.c wrote.  With NM, what
nm printed, functions of a stripped program are known by their address.  The
samples expected are the measured time by the rate, 1000 a second; beside that
stands what the instructions of each function would say of the shares.
"""
import csv
import math
import re
import sys

FUNCTIONS = 20
RATE = 1000


def p_value(chi, freedom):
    """The chance of so much or more; of an even number the sum is finite."""
    assert freedom % 2 == 0
    term = total = math.exp(-chi / 2)
    for i in range(1, freedom // 2):
        term *= chi / 2 / i
        total += term
    return total


def numbers(name):
    if len(sys.argv) > 4:
        addresses = {}
        for line in open(sys.argv[4]):
            m = re.match(r"0*([0-9a-f]+) \w work_(\d\d)$", line)
            if m:
                addresses["+0x" + m.group(1)] = int(m.group(2))
        return addresses.get(name[name.find("+"):])
    m = re.match(r"work_(\d\d)$", name)
    return int(m.group(1)) if m else None


def one(kind, rows, measured):
    samples = [0] * FUNCTIONS
    ns = [0] * FUNCTIONS
    instructions = [0] * FUNCTIONS
    everything = 0
    for row in csv.DictReader(open(rows)):
        everything += int(row["self"])
        nr = numbers(row["name"])
        if nr is not None:
            samples[nr] += int(row["self"])
    for line in open(measured):
        nr, time, count = map(int, line.split())
        ns[nr] += time
        instructions[nr] += count
    n = sum(samples)
    expected = [time * RATE / 1e9 for time in ns]
    shares = [n * count / sum(instructions) for count in instructions]
    chi = sum((s - e) ** 2 / e for s, e in zip(samples, expected))
    other = sum((s - e) ** 2 / e for s, e in zip(samples, shares))
    print("%s: %d samples, %d in the functions, %.0f expected, chi %.1f, p %.4f;"
          " by instructions %.1f" % (kind, everything, n, sum(expected), chi,
                                     p_value(chi, FUNCTIONS), other))
    with open("sums.txt", "a") as sums:
        print(kind, n, sum(expected), chi, file=sums)
    if n < 1000 or n < 0.95 * everything:
        sys.exit("too few samples in the functions")
    if p_value(chi, FUNCTIONS) < 1e-5:
        sys.exit("not the shares that were measured")


def together():
    sums = [line.split() for line in open("sums.txt")]
    n = sum(int(s[1]) for s in sums)
    expected = sum(float(s[2]) for s in sums)
    chi = sum(float(s[3]) for s in sums)
    p = p_value(chi, FUNCTIONS * len(sums))
    z = (n - expected) / math.sqrt(expected)
    print("%d kinds, %d samples of %.0f expected, z %.2f; chi %.1f of %d, p %.4f"
          % (len(sums), n, expected, z, chi, FUNCTIONS * len(sums), p))
    if p < 0.001:
        sys.exit("not the shares that were measured")


if len(sys.argv) > 1:
    one(*sys.argv[1:4])
else:
    together()
