# SPDX-License-Identifier: GPL-2.0-only
# What a program in Python does for a while: objects, regular expressions, calls.
# Prints its own CPU time in nanoseconds, to standard error.
#
#	work.py ROUNDS
import json
import re
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def once(i):
    numbers = {str(k): [k] * 8 for k in range(i % 97 + 300)}
    text = json.dumps(numbers)
    pairs = re.findall(r"\[(\d+), \1", text)
    ordered = sorted(json.loads(text).items(), key=lambda x: (len(x[0]), x[0]))
    return len(pairs) + len(ordered) + fib(13)


for i in range(int(sys.argv[1])):
    once(i)
print(time.process_time_ns(), file=sys.stderr)
