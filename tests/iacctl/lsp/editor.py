# SPDX-License-Identifier: BSL-1.0
"""The texts of an editor, and its messages to a language server."""

import json
import subprocess

from client import Client

ABILITIES = {"textDocument": {
    "completion": {"completionItem": {"snippetSupport": True}},
    "hover": {"contentFormat": ["markdown"]},
    "publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1]}}}}


def matches(expected, value):
    if isinstance(expected, dict):
        if "has" in expected:
            return isinstance(value, list) and all(any(matches(one, item) for item in value) for one in expected["has"])
        if "lacks" in expected:
            return isinstance(value, list) and not any(matches(one, item) for one in expected["lacks"] for item in value)
        if "text" in expected or "no_text" in expected:
            return isinstance(value, str) and all(one in value for one in expected.get("text", [])) and not any(
                one in value for one in expected.get("no_text", []))
        return isinstance(value, dict) and all(name in value and matches(of, value[name]) for name, of in expected.items())
    if isinstance(expected, list):
        return isinstance(value, list) and len(value) == len(expected) and all(map(matches, expected, value))
    return expected == value


FAKE = 'terraform {\n  required_providers {\n    fake = { source = "example.com/acme/fake" }\n  }\n}\n'


def with_provider(place, provider):
    """The environment in which the provider of FAKE is the program of the tests."""
    (place / "provider").mkdir()
    (place / "provider" / "terraform-provider-fake").symlink_to(provider)
    (place / "rc").write_text('provider_installation {\n  dev_overrides { "example.com/acme/fake" = "%s/provider" }\n'
                              "  direct {}\n}\n" % place)
    return {"TF_CLI_CONFIG_FILE": str(place / "rc")}


class Editor:
    """Keeps the texts of a client, to find positions in them."""

    def __init__(self, program, place, units="utf-16", env=None):
        self.program = program
        self.client = Client(program, place, env)
        self.units = units
        self.texts = {}
        self.versions = {}

    def position(self, text, offset):
        before = text[:offset]
        line = before.rsplit("\n", 1)[-1]
        size = len(line.encode()) if self.units == "utf-8" else len(line.encode("utf-16-le")) // 2
        return {"line": before.count("\n"), "character": size}

    def offset(self, name, marked):
        at = marked.index("|")
        piece = marked.replace("|", "", 1)
        assert self.texts[name].count(piece) == 1, f"{piece!r} does not occur exactly once in {name}"
        return self.texts[name].index(piece) + at

    def place(self, name, marked):
        return {"textDocument": {"uri": self.client.uri(name)},
                "position": self.position(self.texts[name], self.offset(name, marked))}

    def start(self, files, opened=None, capabilities=None):
        """Writes files, initializes the server, and opens some of the files (all)."""
        self.write(files)
        result = self.client.initialize(capabilities or ABILITIES)
        for name in files if opened is None else opened:
            self.open(name)
        return result

    def write(self, files):
        for name, text in files.items():
            path = self.client.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            self.texts[name] = text

    def open(self, name):
        self.client.open(name, self.texts[name])
        self.versions[name] = 1

    def set(self, name, text):
        """Replaces the whole text of an open file."""
        self.versions[name] += 1
        self.client.change(name, text, self.versions[name])
        self.texts[name] = text

    def ask(self, method, name, marked, **more):
        return self.client.result("textDocument/" + method, {**self.place(name, marked), **more})

    def labels(self, name, marked):
        """The labels of the completions at a place."""
        return {one["label"] for one in self.ask("completion", name, marked)["items"]}

    def hover(self, name, marked):
        shown = self.ask("hover", name, marked)
        return "" if shown is None else shown["contents"]["value"]

    def diagnostics(self, name, wanted=lambda problems: True, hints=False):
        return self.client.diagnostics(name, wanted, self.versions.get(name), hints)["diagnostics"]

    def actions(self, name, marked, problems=None):
        """The code actions at a place, by title, with those diagnostics of the editor that are there."""
        at = self.place(name, marked)["position"]
        inside = [one for one in problems or []
                  if tuple(one["range"]["start"].values()) <= tuple(at.values()) <= tuple(one["range"]["end"].values())]
        found = self.client.result("textDocument/codeAction", {
            "textDocument": {"uri": self.client.uri(name)}, "range": {"start": at, "end": at},
            "context": {"diagnostics": inside}})
        return {one["title"]: one for one in found}

    def replace(self, name, begin, end, new):
        old = self.texts[name]
        self.versions[name] += 1
        self.client.change(name, new, self.versions[name],
                           {"start": self.position(old, begin), "end": self.position(old, end)})
        self.texts[name] = old[:begin] + new + old[end:]

    def step(self, step):
        client = self.client
        if "file" in step:
            path = client.root / step["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step["content"])
            self.texts[step["file"]] = step["content"]
        elif "run" in step:
            done = subprocess.run([self.program, *step["run"]], cwd=client.root, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stderr
        elif "initialize" in step:
            self.check(step, client.initialize(step["initialize"]))
        elif "open" in step:
            client.open(step["open"], self.texts[step["open"]])
            self.versions[step["open"]] = 1
        elif "close" in step:
            client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri(step["close"])}})
            del self.versions[step["close"]]
        elif "notify" in step:
            client.notify(step["notify"], self.filled(step.get("params", {})))
        elif "type" in step:
            name, marked, text = step["type"]
            at = self.offset(name, marked)
            self.replace(name, at, at, text)
        elif "replace" in step:
            name, old, new = step["replace"]
            assert self.texts[name].count(old) == 1, f"{old!r} does not occur exactly once in {name}"
            at = self.texts[name].index(old)
            self.replace(name, at, at + len(old), new)
        elif "diagnostics" in step:
            expected = self.filled(step["result"])
            version = self.versions.get(step["diagnostics"])
            client.diagnostics(step["diagnostics"], lambda problems: matches(expected, problems), version)
        else:
            params = self.filled(step.get("params", {}))
            if "at" in step:
                params |= self.place(*step["at"])
            elif "in" in step:
                params["textDocument"] = {"uri": client.uri(step["in"])}
            answer = client.request(step["request"], params)
            if "error" in step:
                assert matches(step["error"], answer.get("error")), f"{step}: {answer}"
            else:
                assert "result" in answer, f"{step}: {answer}"
                self.check(step, answer["result"])
                if step.get("apply"):
                    self.apply(answer["result"])

    def check(self, step, result):
        expected = self.filled(step.get("result", {}))
        assert matches(expected, result), f"{step}\n  has the result {json.dumps(result)}"

    def filled(self, of):
        """Replaces names such as "$/main.tf" with URIs."""
        return json.loads(json.dumps(of).replace("$/", self.client.root.as_uri() + "/"))

    def apply(self, result):
        """Applies the edits of a result, as an editor does."""
        changes = result.get("changes") if isinstance(result, dict) else {self.client.uri("main.tf"): result}
        for uri, edits in changes.items():
            name = uri.removeprefix(self.client.root.as_uri() + "/")
            text = self.texts[name]
            places = {(at["line"], at["character"]): offset for offset in range(len(text) + 1)
                      for at in [self.position(text, offset)]}
            for edit in sorted(edits, key=lambda one: -places[tuple(one["range"]["start"].values())]):
                begin, end = (places[tuple(edit["range"][which].values())] for which in ("start", "end"))
                if name in self.versions:
                    self.replace(name, begin, end, edit["newText"])
                else:
                    self.texts[name] = self.texts[name][:begin] + edit["newText"] + self.texts[name][end:]
                    (self.client.root / name).write_text(self.texts[name])
