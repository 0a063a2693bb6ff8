# SPDX-License-Identifier: MIT
"""Types at a shell on a terminal of its own, and prints what is on its screen.

jobs.py COMMAND [WAIT TYPE]...

The shell gets COMMAND; when WAIT is on the screen, behind what was waited for
before, TYPE is typed, where ^X is a control character and | the Enter key.  The
last line is the shell's status, and "exit" is typed at the end.
"""
import os
import pty
import re
import select
import sys
import time

pid, terminal = pty.fork()
if pid == 0:
    # \076, so that a program that prints its environment prints no prompt.
    os.environ.update(PS1=r"prompt\076 ", TERM="dumb")
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
screen = ""


def keys(text):
    return re.sub(r"\^([A-Z])", lambda m: chr(ord(m.group(1)) - 64),
                  text.replace("|", "\n")).encode()


def wait_for(text, at):
    global screen
    end = time.monotonic() + 90
    while text not in screen[at:]:
        if not select.select([terminal], [], [],
                             max(0, end - time.monotonic()))[0]:
            print(screen)
            sys.exit("not seen: " + text)
        try:
            screen += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            print(screen)
            sys.exit("the shell ended before: " + text)
    return screen.index(text, at) + len(text)


at = wait_for("prompt> ", 0)
os.write(terminal, keys(sys.argv[1] + "|"))
# The command itself is on the screen, too.
at = wait_for("\n", at)
for wait, text in zip(sys.argv[2::2], sys.argv[3::2]):
    at = wait_for(wait, at)
    os.write(terminal, keys(text))
at = wait_for("prompt> ", at)
os.write(terminal, b"echo ended $?\n")
wait_for("ended ", wait_for("ended $?", at))
os.write(terminal, b"exit\n")
wait_for("exit", at)
print(screen)
