#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Commands create and destroy two objects of an API that fails, loses answers, and kills the program. The calls that the API has seen,
the entries that were durable before each of them, and the results that were printed are a run of journal.pml. TAP; skipped without spin.

    journal_trace.py IACCTL

The faults are random; the seed is printed, and taken from SEED.
"""
import contextlib
import http.server
import json
import os
import pathlib
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))
import replay  # noqa: E402
import spin  # noqa: E402
import tap  # noqa: E402

IACCTL = os.path.abspath(sys.argv[1])
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
COMMANDS = 40
UNDECIDED = 7  # the exit code
COMMAND, FINISHED, ENTRY, CALL, SHOWN, KILLED = range(1, 7)
BEGIN, MADE, GONE = range(3)
NAMES = ["first", "second"]
CONFIGURATION = """
terraform {{
  required_providers {{
    restapi = {{ source = "Mastercard/restapi" }}
  }}
}}
provider "restapi" {{
  uri                   = "http://127.0.0.1:{port}"
  create_returns_object = true
}}
resource "restapi_object" "first" {{
  path = "/objects"
  data = jsonencode({{ id = "0" }})
}}
resource "restapi_object" "second" {{
  path       = "/objects"
  data       = jsonencode({{ id = "1" }})
  depends_on = [restapi_object.first]
}}
"""
# Whether a call is performed, what happens to its answer, and how often. With "deaf", the object cannot be read afterwards, either.
FAULTS = [((True, "ok"), 10), ((False, "kill"), 2), ((True, "kill"), 2), ((False, "error"), 1), ((True, "error"), 1), ((True, "cut"), 1),
          ((False, "deaf"), 1), ((True, "deaf"), 1)]


class Record:
    """The objects of the API, and the events in their order."""

    def __init__(self, directory):
        self.database = directory / ".iacctl" / "default" / "state.db"
        self.mutex, self.chance = threading.Lock(), random.Random(SEED)
        self.events, self.sequence, self.objects = [], 0, set()
        self.process, self.is_deaf = None, False

    def note_entries(self):
        """Adds the entries that were committed meanwhile. Called with the mutex."""
        if not self.database.exists():
            return
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30)) as database:
            rows = database.execute("SELECT sequence, kind, address, document FROM entry WHERE sequence > ? ORDER BY sequence",
                                    (self.sequence,)).fetchall()
        for self.sequence, kind, address, document in rows:
            if kind in ("begin", "end"):
                self.events.append((ENTRY, NAMES.index(address.rsplit(".", 1)[1]), self.what_of(kind, json.loads(document))))

    @staticmethod
    def what_of(kind, document):
        destroys = document["operation"]["kind"] == "destroy"
        exists = bool(document.get("object")) or (destroys and document.get("failed", False))  # strider::infra::replay
        return (2 if destroys else 1) * 10 + (BEGIN if kind == "begin" else MADE if exists else GONE)

    def note(self, action, who, what):
        with self.mutex:
            self.note_entries()
            self.events.append((action, who, what))

    def call(self, number, creates):
        """Performs a call or not. Returns what happens to its answer."""
        with self.mutex:
            self.note_entries()
            is_performed, fate = self.chance.choices([one for one, _ in FAULTS], [weight for _, weight in FAULTS])[0]
            if is_performed:
                (self.objects.add if creates else self.objects.discard)(number)
            self.events.append((CALL, number, int(number in self.objects)))
            self.is_deaf = fate == "deaf"
            if fate == "kill":
                self.process.send_signal(signal.SIGKILL)
        return fate


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def cut(self):
        self.connection.shutdown(socket.SHUT_RDWR)

    def answer(self, status, number):
        text = json.dumps({"id": str(number)}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        number = int(self.path.rsplit("/", 1)[1])
        if self.record.is_deaf:
            return self.cut()
        self.answer(200 if number in self.record.objects else 404, number)

    def change(self, creates):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        number = int(json.loads(text)["id"]) if creates else int(self.path.rsplit("/", 1)[1])
        fate = self.record.call(number, creates)
        if fate in ("ok", "error"):
            return self.answer(200 if fate == "ok" else 500, number)
        self.cut()

    def do_POST(self):
        self.change(True)

    def do_DELETE(self):
        self.change(False)


class Server(http.server.ThreadingHTTPServer):
    """The API."""

    def __init__(self, record):
        super().__init__(("127.0.0.1", 0), type("RecordedHandler", (Handler,), {"record": record}))
        self.busy = 0
        self.changed = threading.Condition()

    def handle_error(self, *_):
        pass

    def process_request(self, request, client_address):
        with self.changed:
            self.busy += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        super().shutdown_request(request)
        with self.changed:
            self.busy -= 1
            self.changed.notify_all()

    def wait_until_idle(self):
        """Returns when the requests of a program that has ended were handled."""
        with contextlib.suppress(OSError), socket.create_connection(self.server_address) as last:  # it is accepted after theirs
            last.sendall(b"GET /0 HTTP/1.0\r\n\r\n")
            while last.recv(4096):
                pass
        with self.changed:
            assert self.changed.wait_for(lambda: self.busy == 0, 30), "a request does not end"


def run(record, server, directory, creates):
    """Runs a command, which may be killed."""
    record.note(COMMAND, 0, int(creates))
    record.is_deaf = False
    name, lines = "apply" if creates else "destroy", []
    with subprocess.Popen([IACCTL, name, "-auto-approve", "-no-color", "-input=false"], cwd=directory, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as record.process:
        timer = threading.Timer(record.chance.choice([60, record.chance.uniform(0, 0.4)]), record.process.kill)
        timer.start()
        for line in record.process.stdout:
            lines.append(line)
            if found := re.match(r"restapi_object\.(\w+): (Creation|Destruction) complete", line):
                record.note(SHOWN, NAMES.index(found[1]), MADE if found[2] == "Creation" else GONE)
        code = record.process.wait(60)
        timer.cancel()
    server.wait_until_idle()
    log = f"$ {name} -> {code}\n{''.join(lines)}"
    assert code in (-signal.SIGKILL, 0, 1, UNDECIDED), log
    record.note(*((KILLED, 0, 0) if code < 0 else (FINISHED, 0, int(code != 0))))
    return log


def text_of(event):
    action, who, what = event
    return f"{['', 'command', 'finished', 'entry', 'call', 'shown', 'killed'][action]} {NAMES[who]} {what}"


def without_begin(events):
    """The events without the entry that precedes the last call."""
    call = max(number for number, one in enumerate(events) if one[0] == CALL)
    begin = max(number for number, one in enumerate(events[:call]) if one[:2] == (ENTRY, events[call][1]) and one[2] % 10 == BEGIN)
    return events[:begin] + events[begin + 1:call + 1]


def with_another_end(events):
    """The events until an operation ends with a result that the API has not seen."""
    end = max(number for number, one in enumerate(events) if one[0] == ENTRY and one[2] % 10 != BEGIN)
    action, who, what = events[end]
    return [*events[:end], (action, who, what // 10 * 10 + (MADE if what % 10 == GONE else GONE))]


def with_an_early_report(events):
    """The events until a result is shown before it is durable."""
    shown = max(number for number, one in enumerate(events) if one[0] == SHOWN)
    end = max(number for number, one in enumerate(events[:shown]) if one[:2] == (ENTRY, events[shown][1]))
    return events[:end] + [events[shown]]


def a_record_of_calls_and_entries_is_a_run_of_the_model(directory):
    if not spin.is_installed():
        raise tap.Missing("spin")
    print(f"# SEED={SEED}", flush=True)
    record = Record(directory)
    server = Server(record)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (directory / "main.tf").write_text(CONFIGURATION.format(port=server.server_address[1]))
    try:
        subprocess.run([IACCTL, "init", "-input=false"], cwd=directory, check=True, capture_output=True, timeout=60)
        began = time.monotonic()
        logs = [run(record, server, directory, record.chance.random() < 0.6) for _ in range(COMMANDS)]
    finally:
        server.shutdown()
        server.server_close()
    events = record.events
    counts = {name: sum(one[0] == kind for one in events) for name, kind in
              (("calls", CALL), ("entries", ENTRY), ("shown", SHOWN), ("killed", KILLED))}
    print(f"# {len(events)} events, {counts}, {time.monotonic() - began:.1f} s", flush=True)
    refused = replay.refused_at("journal", [], events)
    if refused is not None:
        number = sum(one[0] == COMMAND for one in events[:refused])
        lines = [f"{at}: {text_of(one)}" for at, one in enumerate(events[:refused + 3])]
        last = "".join(logs[max(0, number - 2):number])
        raise AssertionError(f"journal does not have the run: event {refused} is refused\n" + "\n".join([*lines[-20:], last]))
    for change in (without_begin, with_another_end, with_an_early_report):
        assert not replay.accepts("journal", [], change(events)), f"the model has the run {change.__name__}"


if __name__ == "__main__":
    sys.exit(tap.run([a_record_of_calls_and_entries_is_a_run_of_the_model]))
