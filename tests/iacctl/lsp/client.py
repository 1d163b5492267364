# SPDX-License-Identifier: BSL-1.0
"""A client of a language server over standard input and output."""

import json
import os
import queue
import subprocess
import threading
import time


class Client:
    def __init__(self, program, root, env=None):
        self.root = root
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
        environment = {**kept, "HOME": str(root), **(env or {})}
        self.process = subprocess.Popen(
            [program, "lsp"], cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.received = queue.Queue()
        self.seen = []  # messages that were not waited for
        self.number = 0
        self.received_at = {}  # the time of the answer by the number of the request, before the answer is decoded
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while (line := out.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                break
            content = out.read(length)
            received_at = time.perf_counter()
            message = json.loads(content)
            if "method" not in message:
                self.received_at[message.get("id")] = received_at
            self.received.put(message)
        self.received.put(None)

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(content) + content)

    def notify(self, method, params=None):
        self.send({"method": method, "params": params or {}})

    def wait_for(self, wanted, seconds=20):
        """The first wanted message, received before or later."""
        for one in self.seen:
            if wanted(one):
                self.seen.remove(one)
                return one
        end = time.monotonic() + seconds
        while True:
            try:
                one = self.received.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no such message within {seconds} s; there were {self.seen[-5:]}") from None
            if one is None:
                raise AssertionError("the server has ended: " + self.process.stderr.read().decode())
            if wanted(one):
                return one
            self.seen.append(one)

    def request(self, method, params=None):
        """The answer to a request, with a result or an error."""
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params or {}})
        return self.wait_for(lambda one: one.get("id") == number and "method" not in one)

    def result(self, method, params=None):
        answer = self.request(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def initialize(self, capabilities=None, folders=None):
        folders = [self.root] if folders is None else folders
        result = self.result("initialize", {
            "processId": os.getpid(), "rootUri": None, "capabilities": capabilities or {},
            "workspaceFolders": [{"uri": one.as_uri(), "name": one.name} for one in folders]})
        self.notify("initialized")
        return result

    def uri(self, name):
        return (self.root / name).as_uri()

    def open(self, name, text=None, version=1):
        text = (self.root / name).read_text() if text is None else text
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "terraform", "version": version, "text": text}})

    def change(self, name, text, version, place=None):
        change = {"text": text} if place is None else {"text": text, "range": place}
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri(name), "version": version}, "contentChanges": [change]})

    def diagnostics(self, name, wanted=lambda problems: True, version=None, hints=False):
        """Waits until the diagnostics of a file, or of a version of it, are as wanted, and returns them. Hints are left
        out unless they are asked for."""
        uri = self.uri(name)

        def shown(one):
            return [problem for problem in one["params"]["diagnostics"] if hints or problem["severity"] < 4]

        found = self.wait_for(lambda one: one.get("method") == "textDocument/publishDiagnostics"
                              and one["params"]["uri"] == uri and version in (None, one["params"].get("version"))
                              and wanted(shown(one)))
        return {**found["params"], "diagnostics": shown(found)}

    def end(self):
        self.result("shutdown")
        self.notify("exit")
        return self.process.wait(timeout=20)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
