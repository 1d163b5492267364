# SPDX-License-Identifier: BSL-1.0
"""A headless Chromium, controlled with its DevTools protocol through a pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import tap

KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


class Browser:
    def __init__(self):
        program = shutil.which("chromium")
        if program is None:
            raise tap.Missing("chromium")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # the browser may still write
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def give_pipe():  # the browser reads from 3 and writes to 4
            ends = os.dup(to_browser), os.dup(from_browser)
            spare = [os.dup(end) for end in ends]
            for number, end in zip((3, 4), spare):
                os.dup2(end, number)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
                f"--user-data-dir={self.profile.name}", "--hide-scrollbars", "--disable-dev-shm-usage", "about:blank"],
            preexec_fn=give_pipe, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.rest = b""
        self.number = 0
        self.session = None
        self.target = None
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        os.close(self.output)
        os.close(self.input)
        self.profile.cleanup()

    def call(self, method, _seconds=30, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + _seconds
        while True:
            answer = self.receive(end)
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def receive(self, end):
        while b"\0" not in self.rest:
            ready = select.select([self.input], [], [], max(0, end - time.monotonic()))[0]
            assert ready, "the browser does not answer"
            piece = os.read(self.input, 1 << 20)
            assert piece, "the browser has ended"
            self.rest += piece
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def open(self, file, scheme="light", size=(1280, 800), motion="no-preference", fragment=""):
        """A new page without any state of the previous page."""
        self.visit(file.resolve().as_uri() + ("#" + urllib.parse.quote(fragment, safe="") if fragment else ""), scheme, size, motion)
        self.wait("performance.getEntriesByName('first-picture').length > 0", seconds=20)

    def visit(self, address, scheme="light", size=(1280, 800), motion="no-preference"):
        """The same for an address. Cookies stay."""
        self.session = None
        before, self.target = self.target, self.call("Target.createTarget", url="about:blank")["targetId"]
        if before:  # a page that is open keeps its connections
            self.call("Target.closeTarget", targetId=before)
        self.session = self.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        self.events = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion}])
        self.call("Performance.enable", timeDomain="threadTicks")  # does not count the time of other processes
        self.call("Page.navigate", url=address)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition, seconds=5):
        end = time.monotonic() + seconds
        while not self.evaluate(condition):
            assert time.monotonic() < end, f"not true after {seconds} s: {condition}"
            time.sleep(0.02)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def click_on(self, selector):
        x, y = self.evaluate(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                             "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        self.click(x, y)

    def press(self, key):
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def text(self, selector):
        return self.evaluate(f"(document.querySelector({json.dumps(selector)}) || {{}}).innerText || ''")

    def seconds_of_tasks(self):
        """The processor time of the page since it was opened."""
        return next(one["value"] for one in self.call("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")

    def picture(self, file):
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self, server="file:"):
        """The refused requests and the errors of the page, and its requests to others than this server."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"].get("exception", parameters["exceptionDetails"])))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith((server, "about:", "data:")):
                found.append("request of " + parameters["request"]["url"])
        return found


if __name__ == "__main__":
    sys.exit("This is a module of page.py.")
