# SPDX-License-Identifier: MIT
"""The most anonymous memory that a command has had, in KiB, on standard error."""
import re
import subprocess
import sys

command = subprocess.Popen(sys.argv[1:])
most = 0
while command.poll() is None:
    with open(f"/proc/{command.pid}/status", encoding="ascii") as status:
        kib = re.search(r"^RssAnon:\s*(\d+)", status.read(), re.M)
    most = max(most, int(kib[1]) if kib else 0)
print(most, file=sys.stderr)
sys.exit(command.returncode)
