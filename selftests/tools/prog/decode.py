# SPDX-License-Identifier: MIT
"""Decodes a profile without any of profil's code, and prints what it holds."""
import gzip
import sys


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    at = 0
    while at < len(data):
        tag, at = number(data, at)
        if tag & 7 == 0:
            value, at = number(data, at)
        else:
            assert tag & 7 == 2, tag
            size, at = number(data, at)
            value = data[at:at + size]
            assert len(value) == size
            at += size
        yield tag >> 3, value


def packed(data):
    at = 0
    while at < len(data):
        value, at = number(data, at)
        yield value


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
