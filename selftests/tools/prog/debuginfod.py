# SPDX-License-Identifier: GPL-2.0-only
"""A server of debug files: debuginfod.py FILE LOG [slow].

It answers each question with the file, or never, and writes what was asked to
LOG; the first line is its port.
"""
import http.server
import sys
import time


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(sys.argv[2], "a") as log:
            print(self.path, file=log)
        if "slow" in sys.argv:
            time.sleep(100)
        with open(sys.argv[1], "rb") as f:
            data = f.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
server.daemon_threads = True
with open(sys.argv[2], "w") as log:
    print(server.server_port, file=log)
server.serve_forever()
