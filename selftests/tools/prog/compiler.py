# SPDX-License-Identifier: MIT
"""Prints, for fixture.c, a profile like that of a compiler: paths some 50 deep,
of 20,000 samples, whose tree has at least 160,000 nodes.

usage: compiler.py [SEED [SAMPLES]]"""
import random
import sys

random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 36)
FUNCTIONS = 6000
SAMPLES = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
WORDS = ("expand tree rtx walk gimple simplify fold build cp parse decl type "
         "lookup emit insn reg alloc pass execute stmt expr const init finish "
         "cse df live range loop vect").split()


def name(i):
    words = "_".join(random.choice(WORDS) for _ in range(random.randint(2, 4)))
    if i % 5 == 0:
        return "%s_%d(tree_node*, %s, bool)" % (words, i, random.choice(WORDS))
    return "%s_%d" % (words, i)


names = [name(i) for i in range(FUNCTIONS)]
# What a function calls; where it calls it is an address of its own.
calls = [[int(FUNCTIONS * random.random() ** 2)
          for _ in range(random.randint(2, 8))] for _ in range(FUNCTIONS)]
print("command\t/usr/lib/gcc/cc1plus -quiet -O2 big.cc")
print("rate\t1000")
print("map\t/usr/lib/gcc/cc1plus\t%040x\t0x400000\t0x4000000\t0" % 7)
print("map\t/lib/libc.so.6\t%040x\t0x7f0000000000\t0x7f0000200000\t0" % 8)


def frame(function, site):
    """The text of a frame: a tenth of the functions have one inlined."""
    where = "2:%#x" % (0x7f0000000000 + function * 256 + site) \
        if function % 40 == 0 else "1:%#x" % (0x400000 + function * 8192 + site)
    if (function, site) in seen:
        return where
    seen.add((function, site))
    inner = names[(function * 7 + 1) % FUNCTIONS] + "@inline.h@%d^" % (site + 1) \
        if (function + site) % 10 == 0 else ""
    return "%s:%s%s@file_%d.cc@%d" % (where, inner, names[function],
                                      function % 300, site)


class Node:
    """A node of the tree: how often it was on a path, and what is below."""
    def __init__(self, function):
        self.function, self.count, self.below = function, 0, []


seen = set()
root, nodes = Node(0), 0
ENDS = ["whole"] * 985 + ["no tables"] * 9 + ["cut"] * 4 + ["no rule"] * 2
for i in range(SAMPLES):
    at, path = root, [root]
    depth = max(3, int(random.gauss(52, 12)))
    while len(path) < depth:
        at.count += 1
        if not at.below or random.random() < 0.04 / (1 + at.count ** 0.4):
            at.below.append(Node(random.choice(calls[at.function])))
            nodes += 1
            at = at.below[-1]
        else:
            at = random.choices(at.below, [n.count + 1 for n in at.below])[0]
        path.append(at)
    end = random.choice(ENDS)
    pid = 100 + i * 3 // SAMPLES
    path = path[::-1]
    if end == "cut":
        path = path[:40]
    elif end != "whole":
        path = path[:random.randint(1, 6)]
    stack = [frame(n.function, (n.function * 31 + len(n.below)) % 64)
             for n in path]
    print("sample\t1\t%s\tprogram=cc1plus\tpid=%d\tkind=%s\tpath=%s" % (
        ";".join(stack), pid,
        "fault" if random.random() < 0.03 else "user", end))
print(nodes, "nodes", file=sys.stderr)
