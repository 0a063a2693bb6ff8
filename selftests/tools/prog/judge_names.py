# SPDX-License-Identifier: MIT
"""Judges the names of a profile's samples by what readelf says of the files.

judge_names.py PROFILE...

Of samples whose pc lies in the range of a FUNC symbol 99.9 % must bear its name;
no other may bear the name of one.
"""
import bisect
import glob
import gzip
import os
import re
import sys
from collections import Counter

from segments import Segments, out
from wire import fields, packed


class Object(Segments):
    """The FUNC symbols of a file and of its debug file, sorted by address."""

    def __init__(self, path):
        super().__init__(path)
        self.ranges = []
        found = re.search(r"Build ID: (\w\w)(\w+)", out("readelf", "-nW", path))
        files = [path]
        if found:
            files += glob.glob("/usr/lib/debug/.build-id/%s/%s.debug" %
                               found.groups())
        symbol = re.compile(r"\s*\d+: (\w+)\s+(\w+) (?:FUNC|IFUNC) +\w+ +\w+"
                            r" +(?:\[.*\])? *(\w+) (\S+)")
        for file in files:
            for line in out("readelf", "-sW", file).splitlines():
                m = symbol.match(line)
                if not m or m.group(3) == "UND":
                    continue
                start, size = int(m.group(1), 16), int(m.group(2), 0)
                if size:
                    self.ranges.append((start, start + size,
                                        m.group(4).split("@")[0]))
        self.ranges.sort()
        self.longest = max((e - s for s, e, _ in self.ranges), default=0)
        self.names = {name for _, _, name in self.ranges}

    def at(self, offset):
        """The names of all symbols that have what is at this offset."""
        pc = self.vaddr(offset)
        names = set()
        if pc is None:
            return names
        i = bisect.bisect_right(self.ranges, (pc, float("inf"), ""))
        while i and self.ranges[i - 1][0] > pc - self.longest:
            i -= 1
            if pc < self.ranges[i][1]:
                names.add(self.ranges[i][2])
        return names


objects = {}
books = Counter()
wrong = Counter()


def judge(path, offset, name, count):
    if not os.path.isfile(path):
        books["in no file"] += count
        return
    if path not in objects:
        objects[path] = Object(path)
    names = objects[path].at(offset)
    what = "in a symbol" if names else "in none"
    books[what] += count
    if name not in names if names else name in objects[path].names:
        books["wrong " + what] += count
        wrong["%s+%#x is %s, not %s" % (path, offset, name,
                                        names or "that")] += count


def read(profile):
    top = list(fields(gzip.open(profile).read()))
    strings = [value.decode() for nr, value in top if nr == 6]
    functions = {}
    maps = {}
    places = {}
    for nr, value in top:
        if nr == 5:
            one = dict(fields(value))
            functions[one[1]] = strings[one.get(2, 0)]
        elif nr == 3:
            one = dict(fields(value))
            maps[one[1]] = (one.get(2, 0), one.get(4, 0),
                            strings[one.get(5, 0)])
    for nr, value in top:
        if nr != 4:
            continue
        one = list(fields(value))
        # The last is the function itself, before it is what it has inlined.
        names = [functions[dict(fields(v))[1]] for n, v in one if n == 4]
        place = dict(one)
        start, offset, path = maps.get(place.get(2, 0), (0, 0, ""))
        places[place[1]] = (path, place.get(3, 0) - start + offset,
                            names[-1] if names else "")
    for nr, value in top:
        if nr == 2:
            one = dict((n, v) for n, v in fields(value) if n != 3)
            yield places[next(packed(one[1]))], next(packed(one[2]))


for profile in sys.argv[1:]:
    for place, count in read(profile):
        judge(*place, count)
print(dict(books))
for text, count in wrong.most_common(10):
    print(count, text)
if not books["in a symbol"]:
    sys.exit("no sample to judge")
if 1000 * books["wrong in a symbol"] > books["in a symbol"] or \
        books["wrong in none"]:
    sys.exit("names that are wrong")
