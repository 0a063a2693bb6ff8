# SPDX-License-Identifier: MIT
"""Works for some seconds, and prints what its parent used of a CPU meanwhile.

watched.py SECONDS

Prints the parent's CPU time in the first second of all, and its CPU time in each
second from then on, in nanoseconds.
"""
import json
import os
import re
import sys
import time


def used():
    with open("/proc/%d/schedstat" % os.getppid()) as file:
        return int(file.read().split()[0])


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def work(end):
    i = 0
    while time.monotonic() < end:
        numbers = {str(k): [k] * 8 for k in range(i % 97 + 300)}
        text = json.dumps(numbers)
        re.findall(r"\[(\d+), \1", text)
        sorted(json.loads(text).items(), key=lambda x: (len(x[0]), x[0]))
        fib(13)
        i += 1


begin = time.monotonic()
work(begin + 1)
first = used()
then = time.monotonic()
work(then + float(sys.argv[1]))
print(first, round((used() - first) / (time.monotonic() - then)))
