# SPDX-License-Identifier: MIT
"""Writes, uncompressed, a profile of equal samples with values of other kinds.

usage: value_types.py PERIOD TIMES TYPE UNIT VALUE [TYPE UNIT VALUE]..."""
import sys

from wire import put_data as data, put_number as number

period, times, kinds = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
strings = [""]
types = values = b""
for i in range(0, len(kinds), 3):
    strings += kinds[i:i + 2]
    types += data(1, number(1, len(strings) - 2) + number(2, len(strings) - 1))
    values += number(2, int(kinds[i + 2]))
strings.append("work")
out = types + data(2, number(1, 1) + values) * times + number(12, period)
out += data(4, number(1, 1) + data(4, number(1, 1)))
out += data(5, number(1, 1) + number(2, len(strings) - 1))
out += b"".join(data(6, s.encode()) for s in strings)
sys.stdout.buffer.write(out)
