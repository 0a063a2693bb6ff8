# SPDX-License-Identifier: GPL-2.0-only
# Writes a jitdump to standard output, by lines of standard input:
#   head MAGIC VERSION SIZE FLAGS       once, first; numbers as in C
#   load TIME ADDRESS SIZE NAME INDEX
#   move TIME FROM TO SIZE INDEX
#   other TIME ID BYTES                 a record of another kind
#   size TIME SIZE                      a record that claims this size
#   cut BYTES                           and no more than so many bytes in all
import struct
import sys

out = bytearray()


def record(kind, time, body):
    return struct.pack("=IIQ", kind, 16 + len(body), time) + body


for line in sys.stdin:
    word = line.split()
    n = [int(w, 0) if w[0].isdigit() else w for w in word[1:]]
    if word[0] == "head":
        out += struct.pack("=IIIIIIQQ", n[0], n[1], n[2], 62, 0, 1, 0, n[3])
        out += bytes(n[2] - 40 if n[2] > 40 else 0)
    elif word[0] == "load":
        name = str(word[4]).encode() + b"\0"
        out += record(0, n[0], struct.pack("=IIQQQQ", 1, 1, n[1], n[1], n[2],
                                           n[4]) + name + bytes(n[2] % 64))
    elif word[0] == "move":
        out += record(1, n[0], struct.pack("=IIQQQQQ", 1, 1, n[2], n[1], n[2],
                                           n[3], n[4]))
    elif word[0] == "other":
        out += record(n[1], n[0], bytes(n[2]))
    elif word[0] == "size":
        out += struct.pack("=IIQ", 0, n[1], n[0]) + bytes(48)
    elif word[0] == "cut":
        out = out[:n[0]]
sys.stdout.buffer.write(out)
