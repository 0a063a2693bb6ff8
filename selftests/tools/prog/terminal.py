# SPDX-License-Identifier: GPL-2.0-only
# Runs a command on a terminal of its own, types ^C when it says "ready", prints
# what it prints, and its status.
import os
import pty
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said = b""
typed = False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    said += part
    if b"ready" in said and not typed:
        os.write(terminal, b"\x03")
        typed = True
sys.stdout.write(said.decode(errors="replace"))
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
