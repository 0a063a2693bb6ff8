# SPDX-License-Identifier: MIT
"""Writes, uncompressed, a profile as other tools write it: locations without
addresses and mappings, lists that are not packed, a path of 10,000 frames,
cycles, an empty stack, a line without a function, and a name that would control
a terminal.

usage: foreign.py [FRAMES]"""
import sys

from wire import put_data as data, put_number as number

deep = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
strings = ["", "wall", "microseconds", "samples", "count"]
names = ["deep_%d" % i for i in range(deep)] + [
    "ping", "pong", "\033[2Jevil</script>\u202e", "main"]
out = data(1, number(1, 3) + number(2, 4)) + data(1, number(1, 1) + number(2, 2))
for i, name in enumerate(names):
    strings.append(name)
    out += data(5, number(1, i + 1) + number(2, len(strings) - 1))
    # An id that is not the next one, and a line for it.
    out += data(4, number(1, 3 * i + 7) + data(4, number(1, i + 1)))
out += data(4, number(1, 5) + data(4, number(2, 12)))


def sample(count, path):
    """path is a list of the numbers of names, leaf first."""
    one = b"".join(number(1, 3 * i + 7) for i in path)
    return data(2, one + number(2, count) + number(2, count * 100))


out += sample(500, range(deep - 1, -1, -1))
out += sample(150, [deep, deep + 1] * 300 + [deep + 3])
out += sample(150, [deep + 1, deep, deep] * 200 + [deep + 3])
out += data(2, number(2, 100) + number(2, 7))
out += sample(100, [deep + 2, deep + 3])
out += b"".join(data(6, s.encode()) for s in strings)
sys.stdout.buffer.write(out)
