# SPDX-License-Identifier: MIT
"""Compares what a reader of an export shows with profil's own report.

export.py folded|flame|callgrind|inclusive|speedscope|sandwich REPORT.csv FILE

The report is by function, as CSV.  Functions are compared by name, each to the
last sample: self, and total where the format has one.
"""
import csv
import html
import json
import re
import sys
from collections import Counter


def safe(name):
    """As a name is in a folded stack."""
    return re.sub(r" ([\d.]*)$", r"\\x20\1", name.replace(";", ":"))


def shown(name):
    """As flamegraph.pl shows it."""
    return safe(name).replace("<", "(").replace(">", ")")


def report(path):
    own, total = Counter(), Counter()
    for row in csv.DictReader(open(path, newline="")):
        own[row["name"]] += int(row["self"])
        total[row["name"]] += int(row["total"])
    return own, total


def of_stacks(stacks):
    own, total = Counter(), Counter()
    for names, count in stacks:
        own[names[-1]] += count
        for name in set(names):
            total[name] += count
    return own, total


def folded(path):
    stacks = []
    for line in open(path):
        names, count = line.rstrip("\n").rsplit(" ", 1)
        stacks.append((names.split(";"), int(count)))
    assert len({tuple(s[0]) for s in stacks}) == len(stacks)
    return of_stacks(stacks)


def flame(path):
    """The boxes of flamegraph.pl: a name with no box of its name around it."""
    total = Counter()
    boxes = []
    for title, x, y, width in re.findall(
            r'<title>(.*?)</title><rect x="([\d.]+)" y="([\d.]+)" '
            r'width="([\d.]+)"', open(path).read()):
        name, count = re.match(r"(.*) \(([\d,]+) samples", title).groups()
        boxes.append((float(y), float(x), float(x) + float(width),
                      html.unescape(name), int(count.replace(",", ""))))
    for y, left, right, name, count in boxes:
        if not any(other[0] > y and other[3] == name and
                   other[1] <= left + 0.11 and other[2] >= right - 0.11
                   for other in boxes):
            total[name] += count
    return None, total


def callgrind(path, inclusive):
    found = Counter()
    for line in open(path):
        m = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(.*)$", line)
        if not m or "PROGRAM TOTALS" in line:
            continue
        name = m[2]
        # "FILE:FUNCTION [OBJECT]"
        where = re.match(r"(\S*?\.[ch]|\?\?\?):(.*?)( \[\[?[^][]*\]?\])?$",
                         name)
        assert where, name
        found[where[2]] += int(m[1].replace(",", ""))
    return (None, found) if inclusive else (found, None)


def speedscope(path):
    data = json.load(open(path))
    names = [f["name"] for f in data["shared"]["frames"]]
    profile, = data["profiles"]
    assert profile["endValue"] == sum(profile["weights"])
    return of_stacks([([names[i] for i in stack], weight) for stack, weight in
                      zip(profile["samples"], profile["weights"])])


def sandwich(path):
    """The table that the bundle draws: total, self, name."""
    own, total = Counter(), Counter()
    text = open(path).read()
    for row in json.loads(html.unescape(text.split("SEEN")[1])):
        total[row[2]] += int(re.match(r"[\d,]+", row[0])[0].replace(",", ""))
        own[row[2]] += int(re.match(r"[\d,]+", row[1])[0].replace(",", ""))
    return own, total


def compare(what, wanted, got):
    for name in sorted(set(wanted) | set(got)):
        if wanted[name] != got[name]:
            print(what, repr(name), "report", wanted[name], "got", got[name])
    assert wanted == got and got, what


kind, csv_path, path = sys.argv[1:]
wanted = report(csv_path)
got = {"folded": folded, "flame": flame, "speedscope": speedscope,
       "sandwich": sandwich,
       "callgrind": lambda p: callgrind(p, False),
       "inclusive": lambda p: callgrind(p, True)}[kind](path)
for what, of_report, of_reader in zip(("self", "total"), wanted, got):
    if of_reader is None:
        continue
    if kind in ("folded", "flame"):
        alter = safe if kind == "folded" else shown
        of_report = {alter(n): c for n, c in of_report.items()}
    of_reader = Counter({n: c for n, c in of_reader.items()
                         if c and not re.match(r"\[path ended|\[no path\]|\[all\]|all$", n)})
    compare(what, Counter({n: c for n, c in of_report.items() if c}), of_reader)
