# SPDX-License-Identifier: MIT
"""Decodes a profile without any of profil's code, and prints what it holds."""
import gzip
import sys

from wire import fields, packed

top = list(fields(gzip.open(sys.argv[1]).read()))
strings = [value.decode() for nr, value in top if nr == 6]
assert strings[0] == ""


def entries(wanted):
    return [dict(fields(value)) for nr, value in top if nr == wanted]


functions = {f[1]: strings[f.get(2, 0)] for f in entries(5)}
mappings = {m[1]: m for m in entries(3)}
places = {}
for nr, value in top:
    if nr == 4:
        one = list(fields(value))
        names = [functions[dict(fields(v))[1]] for n, v in one if n == 4]
        place = dict(one)
        mapping = mappings.get(place.get(2, 0), {})
        places[place[1]] = "%s %#x %s" % (strings[mapping.get(5, 0)],
                                          place.get(3, 0), "<".join(names))
for t in entries(1):
    print("type", strings[t[1]], strings[t[2]])
for nr, value in top:
    if nr == 13:
        print("comment", strings[value])
    elif nr == 12:
        print("period", value)
    elif nr == 2:
        one = list(fields(value))
        where = [places[i] for i in packed(dict(one)[1])]
        labels = []
        for n, v in one:
            if n == 3:
                label = dict(fields(v))
                labels.append("%s=%s" % (
                    strings[label[1]],
                    strings[label[2]] if 2 in label else label.get(3, 0)))
        print("sample", ",".join(map(str, packed(dict(one)[2]))),
              ";".join(where), " ".join(labels))
