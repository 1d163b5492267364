# SPDX-License-Identifier: BSL-1.0
"""Replays what servers have seen of commands of iacctl in the models: a trace must be a run of each of them.

`Witness` records requests in the order in which a server performs them, and the begin and the end of commands.
"""
import base64
import hashlib
import json
import pathlib
import tempfile
import threading

import spin

HERE = pathlib.Path(__file__).resolve().parent
OPERATORS = 3
LOST = 1000
BEGIN, END, GET, PUT, LOCK, UNLOCK, LOOK, DESCRIBE = range(1, 9)
DONE, REFUSED, LOCK_LOST = 1, 2, 3
APPLY, READ, FORCE_UNLOCK = 0, 1, 2
NAMES = ["", "begin", "end", "get", "put", "lock", "unlock", "look", "describe"]
TEXTS = 8  # of a command, as in object_writes.pml
NO_TEXT = b""  # of a write: an empty document, which has a lock
# Of mirror.pml: writes that were refused, and the end of a command that was not told that its lock was released.
OVERTAKEN, FORBIDDEN, LOCK_REMAINS = 2000, 4000, 2


def accepts(model, macros, events):
    """Returns whether the model has a run with these events: tuples of an action, an operator and a result, or numbers that belong to them."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        numbers = [one if isinstance(one, int) else one[0] * 1000000 + one[1] * 10000 + one[2] for one in events]
        (directory / "trace.inc").write_text(f"#define EVENTS {len(numbers)}\nhidden int events[{len(numbers) + 1}] = "
                                           f"{{{', '.join(map(str, [*numbers, 0]))}}};\n")
        # A run that does not go on is not an error. The search is short.
        found = spin.search(HERE / f"{model}.pml", ["REPLAY", *macros], directory, [directory], ["-E", "-w18"], "-O0")
        return found.broken == "accepted"


def refused_at(model, macros, events):
    """The number of the first event that no run of the model has; nothing if the trace is a run."""
    if accepts(model, macros, events):
        return None
    low, high = 0, len(events)  # the first `low` events are a run, the first `high` are not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if accepts(model, macros, events[:middle]) else (low, middle)
    return low


def text_of(event, number):
    action, who, what = event[:3]
    if action in (BEGIN, END):
        return f"event {number}: {NAMES[action]} of operator {who}, {what}"
    return (f"event {number}: {NAMES[action]} of operator {who}, {what % LOST}{', refused' if what >= OVERTAKEN else ''}"
            f"{', and its reply is lost' if what // LOST % 2 else ''}")


class Witness:
    """Records what the server of a state sees: `variant` is that of object_writes.pml."""

    def __init__(self, variant, key):
        self.variant, self.key = variant, key
        self.order = threading.Lock()  # of requests, as the server performs them
        self.events, self.commands, self.running = [], 0, {}  # an event is an action, an operator, a result, and the hash of a document
        self.numbers, self.bodies, self.ids = {}, {}, {}  # texts by command; texts and commands of locks by their ids
        self.lock, self.described = None, 0

    def begin(self, who, arguments):
        with self.order:
            self.commands += 1
            self.running[who] = self.commands
            kind = {"apply": APPLY, "force-unlock": FORCE_UNLOCK}.get(arguments[0], READ)
            target = self.ids.get(arguments[-1], 0) if kind == FORCE_UNLOCK else 0
            self.events.append((BEGIN, who, kind * 1000 + target, None))

    def end(self, who, code):
        with self.order:
            self.events.append((END, who, int(code != 0), None))

    def number_of(self, who, body):
        """The number of a text: that of the command that has sent it first, and its number among those of the command."""
        if not body:
            return 0
        sum_of = hashlib.sha256(body).digest()
        if sum_of not in self.bodies:
            command = self.running[who]
            self.numbers[command] = self.numbers.get(command, 0) + 1
            self.bodies[sum_of] = command * TEXTS + self.numbers[command]
        return self.bodies[sum_of]

    def saw(self, who, method, path, headers, body, status, answer_headers, answer, delivered):
        """A request that was performed, with the answer of the server. Called in `order`."""
        sent = {name.lower(): text for name, text in dict(headers).items()}
        got = {name.lower(): text for name, text in answer_headers.items()}
        self.text = None
        event = getattr(self, self.variant.lower())(who, method, path, sent, body, status, got, answer)
        if event:
            action, what = event
            self.events.append((action, who, what + (0 if delivered else LOST), self.text))

    def own(self, who, identity):
        self.ids[identity] = self.running[who]
        return self.running[who]

    def document(self, who, method, body, status, answer):
        """The events of a document that the stores share."""
        text = (answer if status == 200 else b"") if method == "GET" else body
        self.text = hashlib.sha256(text).digest() if text else NO_TEXT
        if method == "GET":
            return GET, self.number_of(who, text)
        if status not in (200, 201, 204):
            return PUT, REFUSED
        self.number_of(who, text)
        return PUT, DONE

    def http(self, who, method, path, sent, body, status, got, answer):
        if method in ("LOCK", "UNLOCK"):
            if method == "LOCK":
                self.own(who, json.loads(body)["ID"])
            return (LOCK if method == "LOCK" else UNLOCK), (DONE if status == 200 else REFUSED)
        return self.document(who, method, body, status, answer)

    def s3(self, who, method, path, sent, body, status, got, answer):
        if f"/{self.key}" not in path:
            return None
        if ".tflock" not in path:
            return self.document(who, method, body, status, answer)
        if method == "GET":
            return LOOK, self.ids.get(json.loads(answer)["ID"], 0) if status == 200 else 0
        if method == "PUT":
            command = self.own(who, json.loads(body)["ID"])
            if status == 200:
                self.lock = command
            return LOCK, (DONE if status == 200 else REFUSED)
        removed, self.lock = self.lock if status == 204 else None, None if status == 204 else self.lock
        return UNLOCK, (DONE if removed else REFUSED)

    def gcs(self, who, method, path, sent, body, status, got, answer):
        if "?" in path and "/o?" in path and "uploadType" not in path:
            return None  # a list
        if method == "POST":
            parts = body.split(b"\r\n\r\n")
            text = parts[2].rsplit(b"\r\n--", 1)[0]
            if b".tflock" not in parts[1]:
                return self.document(who, method, text, status, answer)
            command = self.own(who, json.loads(text)["ID"])
            if status == 200:
                self.own(who, str(json.loads(answer)["generation"]))
                self.lock = command
            return LOCK, (DONE if status == 200 else REFUSED)
        if ".tflock" not in path:
            return self.document(who, method, body, status, answer)
        if method == "GET":
            return LOOK, self.ids.get(json.loads(answer)["ID"], 0) if status == 200 else 0
        is_done = status in (200, 204)
        if is_done:
            self.lock = None
        return UNLOCK, (DONE if is_done else REFUSED)

    def azurerm(self, who, method, path, sent, body, status, got, answer):
        if "restype=container" in path:
            return None
        code = got.get("x-ms-error-code", "")
        if method == "HEAD":
            text = got.get("x-ms-meta-terraformlockid")
            described = self.ids.get(json.loads(base64.b64decode(text))["ID"], 0) if text else 0
            return LOOK, 0 if status == 404 else (described + 2 if got["x-ms-lease-status"] == "locked" else 1)
        if "comp=lease" in path:
            if sent["x-ms-lease-action"] == "acquire":
                self.own(who, sent["x-ms-proposed-lease-id"])
                return LOCK, (DONE if status in (200, 201) else REFUSED)
            return UNLOCK, (DONE if status == 200 else REFUSED)
        if "comp=metadata" in path:
            return DESCRIBE, (DONE if status == 200 else REFUSED)
        event = self.document(who, method, body, status, answer)
        return (PUT, LOCK_LOST) if method == "PUT" and status == 412 and "Lease" in code else event

    def of_mirror(self):
        """The events that mirror.pml has: of commands that apply, and of the documents that they read and write."""
        made, applies, released, numbers, counts = [], {}, {}, {NO_TEXT: 0}, {}
        for action, who, what, text in self.events:
            if action == BEGIN:
                applies[who], released[who] = what // LOST == APPLY, False
            elif action == UNLOCK:
                released[who] = released[who] or what < LOST
            if not applies.get(who) or action not in (BEGIN, END, GET, PUT) or (action == PUT and text == NO_TEXT):
                continue
            if action == END and what and not released[who]:
                what = LOCK_REMAINS
            if action in (GET, PUT):
                if text not in numbers:  # of the machine that has sent it first
                    counts[who] = counts.get(who, 0) + 1
                    numbers[text] = (who + 1) * 100 + counts[who]
                result, is_lost = what % LOST, what // LOST
                is_final = self.variant == "HTTP" or result == LOCK_LOST  # otherwise object_state::put reads the document again
                refusal = 0 if action == GET or result == DONE else FORBIDDEN if is_final else OVERTAKEN
                what = numbers[text] + is_lost * LOST + refusal
            made.append((action, who, what))
        return made
