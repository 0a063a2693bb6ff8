# SPDX-License-Identifier: GPL-2.0-only
# gopclntab.py VERSION TEXT NAME=START... END: Go's table of functions as that
# release has it, with addresses in hexadecimal; "bad" in place of a name lies
# outside of the table.
import struct
import sys

version, text = sys.argv[1], int(sys.argv[2], 16)
functions = [word.split("=") for word in sys.argv[3:-1]]
starts = [int(start, 16) for _, start in functions] + [int(sys.argv[-1], 16)]
magic = {"1.16": 0xfffffffa, "1.18": 0xfffffff0, "1.20": 0xfffffff1,
         "1.2": 0xfffffffb}[version]
new = version in ("1.18", "1.20")
head = 8 + (8 if new else 7) * 8
names = b""
at = {}
for name, _ in functions:
    at[name] = len(names)
    names += name.encode() + b"\0"
names += bytes(-len(names) % 8)
wide = "=I" if new else "=Q"
size = struct.calcsize(wide)
rows = size * (2 * len(functions) + 1)
more = b""
table = b""
base = text if new else 0
for (name, _), start in zip(functions, starts):
    table += struct.pack(wide, start - base) + struct.pack(wide, rows + len(more))
    more += struct.pack(wide, start - base)
    more += struct.pack("=i", 1 << 30 if name == "bad" else at[name]) + bytes(36)
table += struct.pack(wide, starts[-1] - base)
words = [len(functions), 0] + ([text] if new else [])
words += [head, 0, 0, 0, head + len(names)]
out = struct.pack("=IBBBB", magic, 0, 0, 1, 8)
out += b"".join(struct.pack("=Q", word) for word in words)
sys.stdout.buffer.write(out + names + table + more)
