# SPDX-License-Identifier: MIT
"""Where a file's bytes are in memory, as readelf says."""
import re
import subprocess


def out(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          errors="replace").stdout


class Segments:
    def __init__(self, path):
        self.segments = []
        for line in out("readelf", "-lW", path).splitlines():
            m = re.match(r"\s+LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+)", line)
            if m:
                self.segments.append([int(x, 16) for x in m.groups()])

    def vaddr(self, offset):
        """None where nothing of the file is loaded."""
        for begin, vaddr, size in self.segments:
            if begin <= offset < begin + size:
                return vaddr + offset - begin
        return None
