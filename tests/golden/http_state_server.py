#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""A server of Terraform's HTTP protocol for states, for tests: http_state_server.py [--user NAME:PASSWORD]

It listens on a free port of 127.0.0.1, prints the port, and ends when its standard input ends. Every path has a
document of its own. Methods: GET, POST, DELETE, LOCK, UNLOCK. A write with an ID other than that of the lock gets 409,
a second lock 423 with the description of the first one. /log answers with all requests, /document/PATH with the
document of PATH. After /hold/METHOD, requests of that method for a lock, or with a lock, are answered only after a
request of /release. None of these is a part of the log.
"""
import base64
import hashlib
import http.server
import json
import subprocess
import sys
import threading
import urllib.parse
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    guard = threading.Lock()
    documents = {}
    locks = {}
    requests = []
    user = None
    held = None
    released = threading.Event()

    def answer(self, status, body=b"", md5=False):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if md5:
            self.send_header("Content-MD5", base64.b64encode(hashlib.md5(body).digest()).decode())
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True  # the client is gone

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        address = urllib.parse.urlsplit(self.path)
        with self.guard:
            if address.path == "/log":
                return self.answer(200, json.dumps(self.requests).encode())
            if address.path.startswith("/document/"):
                return self.answer(200, self.documents.get(address.path.removeprefix("/document"), b""))
            if address.path.startswith("/hold/") or address.path == "/release":
                Handler.held = address.path.removeprefix("/hold/")
                self.released.clear() if self.held != "/release" else self.released.set()
                return self.answer(200)
            self.requests.append(f"{self.command} {self.path}")
        if self.command == self.held and (self.command == "LOCK" or address.path in self.locks):
            self.released.wait(60)
        with self.guard:
            if self.user is not None:
                expected = "Basic " + base64.b64encode(self.user.encode()).decode()
                if self.headers.get("Authorization") != expected:
                    return self.answer(401)
            held = self.locks.get(address.path)
            if self.command == "GET":
                document = self.documents.get(address.path)
                return self.answer(404) if document is None else self.answer(200, document, md5=True)
            if self.command == "LOCK":
                asked = json.loads(body)
                if held is not None and held["ID"] != asked["ID"]:
                    return self.answer(423, json.dumps(held).encode())
                self.locks[address.path] = asked
                return self.answer(200)
            if self.command == "UNLOCK":
                asked = json.loads(body) if body else None
                if held is not None and asked is not None and asked["ID"] != held["ID"]:
                    return self.answer(409, json.dumps(held).encode())
                self.locks.pop(address.path, None)
                return self.answer(200)
            given = urllib.parse.parse_qs(address.query).get("ID", [None])[0]
            if held is not None and given != held["ID"]:
                return self.answer(409, json.dumps(held).encode())
            if self.command == "DELETE":
                self.documents.pop(address.path, None)
                return self.answer(200)
            digest = self.headers.get("Content-MD5")
            if digest and digest != base64.b64encode(hashlib.md5(body).digest()).decode():
                return self.answer(400)
            self.documents[address.path] = body
            return self.answer(200)

    do_GET = do_POST = do_PUT = do_DELETE = do_LOCK = do_UNLOCK = serve

    def log_message(self, *_):
        pass


def backend(kind, **settings):
    """The backend block for a configuration."""
    lines = "".join(f"    {name} = {json.dumps(value)}\n" for name, value in settings.items())
    return f'terraform {{\n  backend "{kind}" {{\n{lines}  }}\n}}\n'


class Server:
    """A server process, for use in `with`."""

    def __init__(self, *options):
        self.process = subprocess.Popen([sys.executable, __file__, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{self.process.stdout.readline().strip()}"

    def block(self, path="/state"):
        address = self.url + path
        return backend("http", address=address, lock_address=address, unlock_address=address)

    def log(self):
        with urllib.request.urlopen(self.url + "/log") as got:
            return json.load(got)

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, method=method)) as got:
            return got.read()

    def hold(self, method):
        """Requests of this method, for a lock or with a lock, get no answer until `release`."""
        self.send("GET", "/hold/" + method)

    def release(self):
        self.send("GET", "/release")

    def document(self, path):
        """The state at a path; this request is not logged."""
        return self.send("GET", "/document" + path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()


def main():
    if sys.argv[1:2] == ["--user"]:
        Handler.user = sys.argv[2]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
