# SPDX-License-Identifier: MIT
"""Compares what go tool pprof says of a profile with what profil says: each
function, each path, and the callers and callees of some functions.

usage: judge_paths.py PROFIL FILE	beside pprof-top, pprof-traces, pprof-peek,
rows.csv and tree.csv"""
import csv
import random
import re
import subprocess
import sys
from collections import Counter


def bare(name):
    return re.sub(r" \((partial-)?inline\)$", "", name)


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


ours = {}
for row in rows_of(open("rows.csv").read()):
    ours.setdefault(row["name"], []).append(row)
theirs = {}
for line in open("pprof-top").read().split("flat%")[1].splitlines()[1:]:
    flat, _, _, cum, _, name = line.split(None, 5)
    theirs[bare(name)] = int(flat), int(cum)
assert set(theirs) == set(ours), set(theirs) ^ set(ours)
totals = 0
for name, rows in ours.items():
    assert sum(int(r["self"]) for r in rows) == theirs[name][0], name
    # Of a name in two objects pprof makes one function.
    if len(rows) == 1:
        assert int(rows[0]["total"]) == theirs[name][1], name
        totals += 1

paths = Counter()
open_path = []
for row in rows_of(open("tree.csv").read()):
    open_path[int(row["depth"]) - 1:] = [row["name"]]
    if int(row["self"]):
        # How a path ended is a label there.
        names = open_path[open_path[0].startswith(("[path ended", "[no path]")):]
        paths[tuple(names[::-1])] += int(row["self"])
traced = Counter()
for part in open("pprof-traces").read().split("-----------+")[1:]:
    lines = [line for line in part.splitlines()[1:]
             if line.strip() and not re.match(r" *[a-z]+:", line)]
    if not lines:
        continue
    first = lines[0].split(None, 1)
    traced[tuple(bare(n.strip()) for n in [first[1]] + lines[1:])] += \
        int(first[0])
assert paths == traced, list((paths - traced).items())[:3] + \
    list((traced - paths).items())[:3]

random.seed(3)
single = sorted(n for n, rows in ours.items() if len(rows) == 1)
edges = {}
for part in open("pprof-peek").read().split("-----------+-------------\n"):
    above, below, name = {}, {}, None
    for line in part.splitlines():
        if "|" not in line or "calls%" in line:
            continue
        left, right = line.split("|", 1)
        numbers = left.split()
        if right.startswith("   "):
            (below if name else above)[bare(right.strip())] = int(numbers[0])
        else:
            name = bare(right.strip())
    if name:
        edges[name] = above, below
compared = 0
for name in random.sample(single, 60):
    for nr, how in enumerate(("--callers", "--callees")):
        said = subprocess.run([sys.argv[1], "report", "-i", sys.argv[2], how,
                               name, "--csv"], check=True, text=True,
                              capture_output=True).stdout
        mine = {r["name"]: int(r["samples"]) for r in rows_of(said)
                if not re.match(r"\[(self|outermost|path ended|no path)", r["name"])}
        his = edges[name][nr]
        assert set(mine) == set(his), (name, how, mine, his)
        for other in mine:
            # pprof adds up the calls of one name from two objects.
            if len(ours[other]) == 1:
                assert mine[other] == his[other], (name, how, mine, his)
                compared += 1
print(len(theirs), "functions,", totals, "totals,", len(paths), "paths,",
      compared, "edges")
assert totals and compared
