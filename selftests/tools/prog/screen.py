# SPDX-License-Identifier: GPL-2.0-only
# Runs a command on a terminal of its own, and does to it what is asked:
#
#	screen.py ROWS COLUMNS ACTION... -- COMMAND ARG...
#
#	key:TEXT      types it; ^X is a control character
#	size:R,C      gives the terminal another size, and waits for a frame
#	signal:NAME   sends one to the command
#	wait:REGEX    until a screen has it
#	stopped       until the command has stopped; then the terminal must be as
#	              it was, and the command goes on
#	show          prints the screen of now
#
# Prints the last screen, and what was seen of the terminal.
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

SEQUENCE = re.compile(rb"\033\[(\??)([0-9;]*)([A-Za-z])")


class Screen:
    """What the terminal shows; knows what top may send, and nothing else."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [""] * rows
        self.row = self.column = self.widest = self.frames = 0
        self.cursor = True
        self.rest = b""

    def resize(self, rows, columns):
        self.lines = (self.lines + [""] * rows)[:rows]
        self.rows, self.columns, self.row = rows, columns, min(self.row, rows - 1)
        self.widest = 0

    def sequence(self, private, numbers, what):
        if private:
            assert numbers == b"25" and what in b"lh", (numbers, what)
            self.cursor = what == b"h"
        elif what == b"H":
            self.frames += not numbers
            self.row = min(int(numbers or b"1"), self.rows) - 1
            self.column = 0
        elif what == b"K":
            assert not numbers
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif what == b"J":
            assert not numbers, "it clears the screen"
            self.lines[self.row] = self.lines[self.row][:self.column]
            for row in range(self.row + 1, self.rows):
                self.lines[row] = ""
        else:
            assert what == b"m", (numbers, what)

    def feed(self, data):
        data = self.rest + data
        self.rest = b""
        while data:
            match = SEQUENCE.match(data)
            if match:
                self.sequence(*match.groups())
                data = data[match.end():]
            elif data[:1] == b"\033":
                self.rest = data
                return
            else:
                self.put(chr(data[0]))
                data = data[1:]

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            if self.row == self.rows - 1:
                self.lines = self.lines[1:] + [""]
            else:
                self.row += 1
        else:
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = (line[:self.column] + char +
                                    line[self.column + 1:])
            self.column += 1
            self.widest = max(self.widest, self.column)

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines).rstrip("\n")


def size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


rows, columns = int(sys.argv[1]), int(sys.argv[2])
split = sys.argv.index("--")
actions, command = sys.argv[3:split], sys.argv[split + 1:]
# This side of the command is kept open: what it leaves the terminal as is seen.
fd, side = pty.openpty()
size(fd, rows, columns)
before = termios.tcgetattr(fd)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(side, termios.TIOCSCTTY, 0)
    for stream in range(3):
        os.dup2(side, stream)
    os.closerange(3, 256)
    os.execvp(command[0], command)
screen = Screen(rows, columns)
end = time.monotonic() + 120
raw = set()


def step(seconds=0.1):
    """What has come within the time; False: nothing."""
    some = select.select([fd], [], [], seconds)[0]
    if some:
        screen.feed(os.read(fd, 65536))
    raw.add(not termios.tcgetattr(fd)[3] & termios.ICANON)
    return bool(some)


def wait_for(done, what):
    while not done():
        assert time.monotonic() < end, (what, screen.text())
        step()


for action in actions:
    what, _, arg = action.partition(":")
    if what == "key":
        os.write(fd, re.sub(r"\^(.)", lambda m: chr(ord(m[1]) & 31),
                            arg).encode())
    elif what == "size":
        r, c = map(int, arg.split(","))
        while step(0.2):
            pass
        frames = screen.frames
        screen.resize(r, c)
        size(fd, r, c)
        wait_for(lambda: screen.frames > frames, action)
        while step(0.2):
            pass
    elif what == "signal":
        os.kill(pid, getattr(signal, arg))
    elif what == "wait":
        wait_for(lambda: re.search(arg, screen.text(), re.M), arg)
    elif what == "stopped":
        wait_for(lambda: os.waitpid(pid, os.WUNTRACED | os.WNOHANG)[0], what)
        assert termios.tcgetattr(fd) == before, "the terminal is not restored"
        os.kill(pid, signal.SIGCONT)
    elif what == "show":
        print(screen.text())
        print("--")
while True:
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        break
    assert time.monotonic() < end, ("it does not end", screen.text())
    step()
after = termios.tcgetattr(fd)
while step(0):
    pass
print(screen.text())
print("status", os.waitstatus_to_exitcode(status))
print("restored", "yes" if after == before else "no")
print("raw", "yes" if True in raw else "no")
print("cursor", "shown" if screen.cursor else "hidden")
print("frames", screen.frames)
print("widest", screen.widest)
