# SPDX-License-Identifier: MIT
"""Compares a profile with what perf saw of the same run.

beside.py [--inclusive] PROFILE PERF-SCRIPT [COMM...]

The unit is a function as .eh_frame bounds it, of an object.  Each of the five
that have most samples must have the same share within 2 points, or 4 sigma of
the two numbers of samples.  A command named COMM is left out of perf's.  With
--inclusive a function has each sample that it is anywhere in the path of, and
twenty are compared, of 20,000 samples each.
"""
import bisect
import gzip
import os
import re
import sys
from collections import Counter

from segments import Segments, out
from wire import fields, packed


class Object(Segments):
    """The bounds of functions in a file, and where the file is in memory."""

    def __init__(self, path):
        super().__init__(path)
        self.starts = []
        for m in re.finditer(r"pc=([0-9a-f]+)\.\.([0-9a-f]+)",
                             out("readelf", "-wf", path)):
            self.starts.append(int(m.group(1), 16))
        self.starts.sort()

    def function(self, offset):
        vaddr = self.vaddr(offset)
        if vaddr is None:
            return 0
        i = bisect.bisect_right(self.starts, vaddr)
        return self.starts[i - 1] if i else 0


objects = {}


def key(path, offset):
    """What a pc is counted as: of what is no file, the kind alone."""
    if not path.startswith("/") or path.startswith("//"):
        return (path if path == "[vdso]" else "[no file]", 0)
    if path not in objects:
        objects[path] = Object(path) if os.path.isfile(path) else None
    found = objects[path]
    return (path, found.function(offset) if found else 0)


def of_profile(name):
    top = list(fields(gzip.open(name).read()))
    strings = [value.decode() for nr, value in top if nr == 6]
    maps = {}
    places = {}
    counts = Counter()
    for nr, value in top:
        if nr == 3:
            one = dict(fields(value))
            maps[one[1]] = (one.get(2, 0), one.get(4, 0),
                            strings[one.get(5, 0)])
    for nr, value in top:
        if nr == 4:
            one = dict((n, v) for n, v in fields(value) if n != 4)
            start, offset, path = maps.get(one.get(2, 0), (0, 0, ""))
            places[one[1]] = (path, one.get(3, 0) - start + offset)
    for nr, value in top:
        if nr != 2:
            continue
        ids = []
        values = []
        labels = {}
        for n, v in fields(value):
            if n == 1:
                ids += packed(v)
            elif n == 2:
                values += packed(v)
            elif n == 3:
                label = dict(fields(v))
                labels[strings[label[1]]] = strings[label.get(2, 0)]
        if labels.get("kind", "user") == "user" and ids:
            seen = {key(*places[i]) for i in ids[:deep]}
            counts.update(dict.fromkeys(seen, values[0]))
            counts[None] += values[0]
    return counts


def place(pc, maps):
    for start, end, offset, path in reversed(maps):
        if start <= pc < end:
            return key(path, pc - start + offset)
    return ("[no file]", 0)


def of_perf(name, without):
    maps = {}
    counts = Counter()
    sample = re.compile(r"^(.+?)\s+(\d+)/\d+\s+[\d.]+:\s*([0-9a-f]*)$")
    # Of a stack that perf walked it prints offsets in files.
    frame = re.compile(r"^\s+([0-9a-f]+) \((.*)\)$")
    current = None
    seen = set()
    mmap = re.compile(r"PERF_RECORD_MMAP2? (\d+)/\d+: \[(0x\w+)\((0x\w+)\) @ "
                      r"(\w+).*\]: \S*x\S* (.*)$")
    fork = re.compile(r"PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)")
    for line in open(name, errors="replace"):
        m = mmap.search(line)
        if m:
            pid = int(m.group(1))
            start, size = int(m.group(2), 16), int(m.group(3), 16)
            maps.setdefault(pid, []).append(
                (start, start + size, int(m.group(4), 0), m.group(5)))
            continue
        m = fork.search(line)
        if m:
            child, parent = int(m.group(1)), int(m.group(2))
            if child != parent:
                maps[child] = list(maps.get(parent, ()))
            continue
        m = frame.match(line.rstrip())
        if m and current is not None:
            seen.add(key(m.group(2), int(m.group(1), 16)))
            continue
        m = sample.match(line.strip())
        if not m:
            continue
        counts.update(seen)
        seen = set()
        current = None
        if m.group(1) in without:
            continue
        counts[None] += 1
        current = maps.get(int(m.group(2)), ())
        if m.group(3):
            seen.add(place(int(m.group(3), 16), current))
    counts.update(seen)
    return counts


inclusive = sys.argv[1] == "--inclusive"
deep = None if inclusive else 1
if inclusive:
    del sys.argv[1]
ours = of_profile(sys.argv[1])
theirs = of_perf(sys.argv[2], sys.argv[3:])
n, m = ours.pop(None, 0), theirs.pop(None, 0)
print("%d samples, perf %d" % (n, m))
if min(n, m) < (20000 if inclusive else 100):
    sys.exit("too few samples: it has to run for longer")
bad = 0
for k, _ in (Counter({k: v / n for k, v in ours.items()}) +
             Counter({k: v / m for k, v in theirs.items()})).most_common(20 if inclusive else 5):
    a, b = ours[k] / n, theirs[k] / m
    p = (ours[k] + theirs[k]) / (n + m)
    allowed = max(0.02, 4 * (p * (1 - p) * (1 / n + 1 / m)) ** 0.5)
    word = "" if abs(a - b) <= allowed else " DIFFERS"
    bad += bool(word)
    print("%6.2f %% perf %6.2f %%  %s+%#x%s" % (100 * a, 100 * b, k[0], k[1], word))
sys.exit(bad)
