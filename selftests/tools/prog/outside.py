# SPDX-License-Identifier: MIT
"""Which call paths are whole, of samples whose pc is not in some object.

outside.py PERMILLE OBJECT PROFILE

Of the samples in user space outside objects whose path contains OBJECT, so many
must have whole paths, less 3 sigma.  Not counted are samples without a path and
those whose stack had gone, and 400 at most of those that came before the tables.
"""
import gzip
import sys
from collections import Counter

from wire import fields, packed

least, without, name = float(sys.argv[1]) / 1000, sys.argv[2], sys.argv[3]
top = list(fields(gzip.open(name).read()))
strings = [value.decode() for nr, value in top if nr == 6]
maps = {}
inside = set()
ends = Counter()
for nr, value in top:
    if nr == 3:
        one = dict(fields(value))
        maps[one[1]] = strings[one.get(5, 0)]
for nr, value in top:
    if nr == 4:
        one = dict((n, v) for n, v in fields(value) if n != 4)
        if without in maps.get(one.get(2, 0), ""):
            inside.add(one[1])
for nr, value in top:
    if nr != 2:
        continue
    ids = []
    labels = {}
    count = 0
    for n, v in fields(value):
        if n == 1:
            ids += packed(v)
        elif n == 2 and not count:
            count = next(packed(v))
        elif n == 3:
            label = dict(fields(v))
            labels[strings[label[1]]] = strings[label.get(2, 0)]
    if labels.get("kind", "user") != "user" or not ids or "path" not in labels:
        continue
    ends["inside" if ids[0] in inside else labels["path"]] += count
print(dict(ends))
early = min(400, ends["unmapped"] + ends["no tables"] + ends["no rule"])
n = sum(ends.values()) - ends["inside"] - ends["not readable"] - early
bad = n - ends["whole"]
most = n * (1 - least) + 3 * (n * least * (1 - least)) ** 0.5
print("not whole %d of %d at most %.1f" % (bad, n, most))
sys.exit(not (n > 0 and bad <= most))
