# SPDX-License-Identifier: GPL-2.0-only
"""A server that takes what Pyroscope's POST /ingest takes: ingest.py LOG [STATUS].

It looks at the method, the path, the parameters and the profile as that does,
and writes them to LOG, or why it refuses them; the first line is its port.  With
a STATUS it refuses all.
"""
import email
import email.policy
import gzip
import http.server
import json
import re
import sys
import urllib.parse

log = sys.argv[1]
status = int(sys.argv[2]) if len(sys.argv) > 2 else 0


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """Each field's number and value, of protobuf."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def refuse(why):
    raise ValueError(why)


def body_of(handler):
    if handler.headers.get("Transfer-Encoding") != "chunked":
        return handler.rfile.read(int(handler.headers["Content-Length"]))
    body = b""
    while True:
        size = int(handler.rfile.readline(), 16)
        body += handler.rfile.read(size)
        handler.rfile.readline()
        if not size:
            return body


def look(handler):
    url = urllib.parse.urlsplit(handler.path)
    query = {k: v[0] for k, v in urllib.parse.parse_qs(
        url.query, strict_parsing=True).items()}
    if url.path != "/ingest":
        refuse("path")
    if not query["name"] or query["format"] != "pprof":
        refuse("name or format")
    if not 0 < int(query["from"]) < int(query["until"]) < 1 << 33:
        refuse("from and until")
    kind = handler.headers["Content-Type"]
    if not re.match("multipart/form-data; boundary=", kind):
        refuse("content type")
    parts = email.message_from_bytes(
        b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body_of(handler),
        policy=email.policy.HTTP).iter_parts()
    parts = {p.get_param("name", header="content-disposition"):
             p.get_payload(decode=True) for p in parts}
    if list(parts) != ["profile"]:
        refuse("parts")
    profile = list(fields(gzip.decompress(parts["profile"])))
    strings = [v.decode() for k, v in profile if k == 6]
    samples = [list(fields(v)) for k, v in profile if k == 2]
    types = [strings[dict(fields(v))[1]] for k, v in profile if k == 1]
    count = sum(varint(dict(s)[2], 0)[0] for s in samples)
    return {"query": query, "types": types, "samples": count,
            "header": handler.headers.get("X-Scope-OrgID"),
            "login": handler.headers.get("Authorization")}


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, text):
        with open(log, "a") as f:
            print(text, file=f)
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self):
        try:
            said = json.dumps(look(self))
            self.answer(status or 200, "no, thanks" if status else said)
        except Exception as error:
            self.answer(422, f"refused: {error!r}")

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Server)
with open(log, "w") as f:
    print(server.server_port, file=f)
server.serve_forever()
