# SPDX-License-Identifier: MIT
"""Forks some workers, as a database server does; each works, and waits.

workers.py NUMBER
"""
import json
import os
import sys
import time

for number in range(int(sys.argv[1])):
    if os.fork() == 0:
        while os.getppid() != 1:
            for i in range(20):
                json.dumps({str(k): [k] * 8 for k in range(30 + number % 7)})
            time.sleep(0.05)
        os._exit(0)
while True:
    time.sleep(1)
