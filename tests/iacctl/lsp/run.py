#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Sessions of an editor with "iacctl lsp". Usage: run.py IACCTL [FAKE_PROVIDER]

The session in session.jsonl is a list of steps: files, messages of the editor, and the expected answers. A position is
written as a piece of text with a bar: ["main.tf", "var.|region"]. Instead of a list or text, an expected answer may
have {"has": [...]}, {"lacks": [...]}, {"text": [...]} or {"no_text": [...]}. Of an object, only the members in the
expected answer are compared.
"""

import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tap  # noqa: E402
from client import Client  # noqa: E402
from editor import FAKE, Editor, with_provider  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
FAKE_PROVIDER = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
SESSION = pathlib.Path(__file__).resolve().parent / "session.jsonl"


def framed(content):
    return b"Content-Length: %d\r\n\r\n" % len(content) + content


def in_session(place, units, capabilities):
    editor = Editor(IACCTL, place, units)
    try:
        for line in SESSION.read_text().splitlines():
            if not line or line.startswith("//"):
                continue
            step = json.loads(line)
            if "initialize" in step:
                step["initialize"] = {**step["initialize"], **capabilities}
                step["result"]["capabilities"]["positionEncoding"] = units
            editor.step(step)
        assert editor.client.end() == 0
    finally:
        editor.client.kill()


def a_recorded_session_has_the_expected_answers_with_utf_16(place):
    in_session(place.resolve(), "utf-16", {})


def a_recorded_session_has_the_expected_answers_with_utf_8(place):
    in_session(place.resolve(), "utf-8", {"general": {"positionEncodings": ["utf-8", "utf-16"]}})


def started(place):
    (place / "main.tf").write_text('variable "a" {\n}\noutput "b" {\n  value = var.a\n}\n')
    return Client(IACCTL, place.resolve())


def requests_before_initialize_and_after_shutdown_are_refused(place):
    client = started(place)
    assert client.request("textDocument/hover")["error"]["code"] == -32002
    client.notify("textDocument/didOpen", {"textDocument": {"uri": client.uri("main.tf"), "text": "}"}})
    client.initialize()
    assert client.request("initialize", {"capabilities": {}})["error"]["code"] == -32600
    assert client.request("textDocument/unknown")["error"]["code"] == -32601
    assert client.request("$/unknown")["error"]["code"] == -32601
    client.notify("$/unknown")
    assert client.request("textDocument/hover", {"textDocument": {"uri": client.uri("main.tf")}})["error"]["code"] == -32602
    assert client.request("textDocument/hover", [])["error"]["code"] == -32602
    client.result("shutdown")
    assert client.request("workspace/symbol", {"query": ""})["error"]["code"] == -32600
    client.notify("exit")
    assert client.process.wait(timeout=20) == 0


def an_exit_without_shutdown_has_exit_code_1(place):
    client = started(place)
    client.initialize()
    client.notify("exit")
    assert client.process.wait(timeout=20) == 1
    client = started(place)
    client.initialize()
    client.process.stdin.close()
    assert client.process.wait(timeout=20) == 1


def messages_that_cannot_be_read_are_answered_and_the_next_one_is_read(place):
    client = started(place)
    client.initialize()
    wrong = [
        (framed(b'{"id"'), -32700),
        (framed(b"[]"), -32600),
        (framed(b"null"), -32600),
        (framed(b'{"a":"\xff\xfe"}'), -32700),
        (framed(b'{"jsonrpc":"2.0","id":3}'), -32600),
        (b"Content-Length: -4\r\n\r\n", -32700),
        (b"Content-Length: 18446744073709551617\r\n\r\n", -32700),
        (b"Length: 4\r\n\r\nnull", -32700),
        (b"no header at all\r\n\r\n", -32700),
        (b"\x00" * 20000 + b"\r\n\r\n", -32700),
        (framed(b'{"jsonrpc":"2.0","id":{},"method":"x"}'), -32600),
        (framed(b'{"jsonrpc":"2.0","id":"a","method":"x","p":1'), -32700),
        (framed(b'{"jsonrpc":"2.0","id":"a","method":"x","params":"y"}'), -32600),
        (framed(b"[" * 3000), -32700),
    ]
    for data, code in wrong:
        client.send_bytes(data)
        answer = client.wait_for(lambda one: "error" in one)
        assert answer["error"]["code"] == code, (data[:60], answer)
        assert client.result("workspace/symbol", {"query": "var.a"})[0]["name"] == "var.a", data[:60]
        client.seen.clear()
    # If the content is shorter or longer than its header says, the next header is lost, but not the one after it.
    content = b'{"jsonrpc":"2.0","id":77,"method":"workspace/symbol","params":{"query":"var.a"}}'
    for length in (len(content) - 3, len(content) + 20):
        client.send_bytes(b"Content-Length: %d\r\n\r\n" % length + content + b"Content-Length: 2\r\n\r\n{}")
        client.wait_for(lambda one: "error" in one)
        assert client.result("workspace/symbol", {"query": "var.a"})
        client.seen.clear()
    assert client.end() == 0


def a_huge_message_is_refused_and_skipped(place):
    client = started(place)
    client.initialize()
    length = 129 << 20
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % length)
    for _ in range(129):
        client.send_bytes(b"x" * (1 << 20))
    assert client.wait_for(lambda one: "error" in one)["error"]["code"] == -32700
    assert client.result("workspace/symbol", {"query": "output.b"})[0]["name"] == "output.b"
    assert client.end() == 0


def invalid_parameters_and_positions_of_notifications_are_ignored(place):
    client = started(place)
    client.initialize()
    client.open("main.tf")
    for params in ({}, {"textDocument": 3}, {"textDocument": {"uri": 5}}, {"textDocument": {"uri": "file://%zz"}},
                   {"textDocument": {"uri": client.uri("main.tf")}, "contentChanges": [{"range": {}, "text": "x"}]},
                   {"textDocument": {"uri": client.uri("main.tf")}, "contentChanges": 7},
                   {"textDocument": {"uri": client.uri("main.tf")}, "contentChanges": [{"text": "x", "range": {
                       "start": {"line": 3, "character": 1}, "end": {"line": 2, "character": 0}}}]}):
        for method in ("didOpen", "didChange", "didClose", "didSave"):
            if method != "didClose" or "contentChanges" not in params:
                client.notify("textDocument/" + method, params)
        client.notify("workspace/didChangeWatchedFiles", {"changes": [params]})
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [params], "removed": [params]}})
    client.open("main.tf")
    for line, character in ((0, 99999), (99999, 0), (2147483647, 2147483647)):
        for method in ("hover", "completion", "definition", "signatureHelp", "documentHighlight", "prepareRename"):
            client.result("textDocument/" + method, {"textDocument": {"uri": client.uri("main.tf")},
                                                     "position": {"line": line, "character": character}})
    for character in (-1, 1.5, "x", None, 4294967296):
        assert client.request("textDocument/hover", {
            "textDocument": {"uri": client.uri("main.tf")}, "position": {"line": 0, "character": character},
        })["error"]["code"] == -32602
    assert client.end() == 0


def a_request_that_is_cancelled_before_its_turn_is_answered_as_cancelled(place):
    client = started(place)
    client.initialize()
    first, second = (framed(json.dumps({"jsonrpc": "2.0", "id": name, "method": "workspace/symbol",
                                        "params": {"query": ""}}).encode()) for name in ("first", "second"))
    cancel = framed(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"second"}}')
    client.send_bytes(first + second + cancel)
    assert "result" in client.wait_for(lambda one: one.get("id") == "first")
    assert client.wait_for(lambda one: one.get("id") == "second")["error"]["code"] == -32800
    assert client.end() == 0


def every_prefix_of_a_file_is_answered(place):
    client = started(place)
    client.initialize()
    text = ('resource "terraform_data" "a" {\n  count = 2\n  input = { x = [var.a, "y${upper("z")}"] }\n  lifecycle {\n'
            '    ignore_changes = [input]\n  }\n}\nlocals {\n  n = terraform_data.a[0].output\n}\n')
    client.open("main.tf", "")
    for size in range(len(text) + 1):
        client.change("main.tf", text[:size], size + 2)
        at = {"line": text[:size].count("\n"), "character": len(text[:size].rsplit("\n", 1)[-1])}
        for method in ("completion", "hover", "signatureHelp", "definition"):
            client.result("textDocument/" + method, {"textDocument": {"uri": client.uri("main.tf")}, "position": at})
        for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "formatting"):
            client.result("textDocument/" + method, {"textDocument": {"uri": client.uri("main.tf")}})
    client.diagnostics("main.tf", lambda problems: len(problems) == 1 and "var" in problems[0]["message"])
    assert client.end() == 0


def a_module_is_checked_as_a_part_of_the_modules_that_call_it(place):
    (place / "child").mkdir()
    (place / "child" / "main.tf").write_text('variable "size" {\n  type = number\n}\n')
    (place / "main.tf").write_text('module "c" {\n  source = "./child"\n  size   = 1\n}\n')
    client = Client(IACCTL, place.resolve())
    client.initialize()
    client.open("child/main.tf")
    assert client.diagnostics("child/main.tf")["diagnostics"] == []
    client.change("child/main.tf", 'variable "width" {\n  type = number\n}\n', 2)
    found = client.diagnostics("main.tf", lambda problems: len(problems) == 2)["diagnostics"]
    assert any("size" in one["message"] for one in found) and any("width" in one["message"] for one in found), found
    assert client.end() == 0


def actions_are_supported_like_resources(place):
    text = """action "local_command" "told" {
  config {
    command = "true"
  }
}

resource "terraform_data" "a" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.local_command.told]
    }
  }
}

locals {
  type = convert([], list(string))
}
"""
    (place / "main.tf").write_text(text)
    client = Client(IACCTL, place.resolve())
    client.initialize()
    client.open("main.tf")
    assert client.diagnostics("main.tf")["diagnostics"] == []

    def at(piece, changed=text):
        offset = changed.index(piece.replace("|", "")) + piece.index("|")
        before = changed[:offset]
        return {"textDocument": {"uri": client.uri("main.tf")},
                "position": {"line": before.count("\n"), "character": len(before.rsplit("\n", 1)[-1])}}

    def labels(piece, changed, version):
        client.change("main.tf", changed, version)
        return {one["label"] for one in client.result("textDocument/completion", at(piece, changed))["items"]}

    assert [one["range"]["start"]["line"] for one in client.result("textDocument/definition", at("local_command.to|ld]"))] == [0]
    assert len(client.result("textDocument/references", at('" "to|ld"') | {"context": {"includeDeclaration": True}})) == 2
    assert "action.local_command.told" in client.result("textDocument/hover", at("local_command.to|ld]"))["contents"]["value"]
    assert "command: string" in client.result("textDocument/hover", at("comm|and = "))["contents"]["value"]
    assert client.result("textDocument/definition", at("list(str|ing)")) is None
    assert {"arguments", "working_directory"} <= labels("config {\n|", text, 2)
    assert {"count", "for_each", "provider"} <= labels('"told" {\n|', text, 3)
    assert {"condition", "on_failure"} <= labels("action_trigger {\n|", text, 4)
    assert "local_command" in labels('action "|"', text + 'action "" {\n}\n', 5)
    assert "local_command" in labels("[action.|]", text.replace("action.local_command.told]", "action.]"), 6)
    assert "told" in labels("[action.local_command.|]", text.replace(".told]", ".]"), 7)
    assert "action.local_command.told" in labels("[|]", text.replace("[action.local_command.told]", "[]"), 8)
    assert client.end() == 0


def files_that_other_programs_change_are_read_again(place):
    client = started(place)
    client.initialize({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
    assert client.wait_for(lambda one: one.get("method") == "client/registerCapability")["params"]["registrations"]
    client.open("main.tf")
    assert client.diagnostics("main.tf")["diagnostics"] == []
    (place / "more.tf").write_text('output "c" {\n  value = var.missing\n}\n')
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": client.uri("more.tf"), "type": 1}]})
    assert client.diagnostics("more.tf")["diagnostics"][0]["code"]
    assert [one["name"] for one in client.result("workspace/symbol", {"query": "output.c"})] == ["output.c"]
    (place / "more.tf").unlink()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": client.uri("more.tf"), "type": 3}]})
    assert client.diagnostics("more.tf", lambda problems: not problems)
    assert client.result("workspace/symbol", {"query": "output.c"}) == []
    assert client.end() == 0


def installed_providers_complete_and_describe_their_types(place):
    if FAKE_PROVIDER is None:
        raise tap.Missing("the fake provider, which needs the libraries of iacctl")
    place = place.resolve()
    environment = with_provider(place, FAKE_PROVIDER)
    (place / "main.tf").write_text(
        FAKE + 'resource "fake_simple" "a" {\n  name   = "a"\n  secret = "hidden"\n}\n'
        'resource "fake_nested" "n" {\n  kept = fake_simple.a.id\n  some {\n    \n  }\n}\n')
    applied = subprocess.run([IACCTL, "apply", "-auto-approve", "-target=fake_simple.a"], cwd=place, capture_output=True,
                             text=True, env={"PATH": "/usr/bin:/bin", **environment}, timeout=60)
    assert applied.returncode == 0, applied.stderr
    client = Client(IACCTL, place, environment)
    client.initialize()
    client.open("main.tf")
    client.diagnostics("main.tf")

    def ask(method, line, character):
        return client.result("textDocument/" + method, {"textDocument": {"uri": client.uri("main.tf")},
                                                        "position": {"line": line, "character": character}})

    def labels(line, character):
        return {one["label"] for one in ask("completion", line, character)["items"]}

    assert {"fake_simple", "fake_nested", "terraform_data"} <= labels(5, 12)
    assert {"value", "lifecycle"} <= labels(6, 2) and "secret" not in labels(6, 2)
    assert {"key", "deeper"} <= labels(12, 4) and "lifecycle" not in labels(12, 4)
    assert {"name", "secret"} <= labels(10, 23)
    assert "A change requires a new object." in ask("hover", 6, 3)["contents"]["value"]
    shown = ask("hover", 10, 22)["contents"]["value"]
    assert "fake_simple.a" in shown and "(sensitive value)" in shown and "hidden" not in shown, shown
    assert client.end() == 0
    killed = Client(IACCTL, place, environment)
    killed.initialize()
    killed.open("main.tf")
    killed.diagnostics("main.tf")
    killed.process.terminate()
    assert killed.process.wait(timeout=20) == 1
    left = subprocess.run(["pgrep", "-f", f"{place}/provider/"], capture_output=True, text=True, check=False)
    assert left.stdout == "", left.stdout


def answers_are_fast_in_a_workspace_of_1000_resources(place):
    text = "".join(f'resource "terraform_data" "r{n}" {{\n  input = {{\n    a = {f"terraform_data.r{n - 1}.output" if n else 1}\n  }}\n}}\n'
                   for n in range(1000))
    (place / "main.tf").write_text(text)
    client = Client(IACCTL, place.resolve())
    client.initialize()
    client.open("main.tf")
    times = []
    for number in range(20):
        client.change("main.tf", "#", number + 2, {"start": {"line": 1, "character": 11}, "end": {"line": 1, "character": 11}})
        for method in ("completion", "hover", "references"):
            before = time.monotonic()
            client.result("textDocument/" + method, {
                "textDocument": {"uri": client.uri("main.tf")}, "position": {"line": 7, "character": 25},
                "context": {"includeDeclaration": True}})
            times.append(time.monotonic() - before)
    # Ten times the time of an optimized program. The limit finds times that grow faster than the workspace.
    assert sorted(times)[len(times) // 2] < 0.2, sorted(times)
    assert client.end() == 0


if __name__ == "__main__":
    sys.exit(tap.run([
        a_recorded_session_has_the_expected_answers_with_utf_16,
        a_recorded_session_has_the_expected_answers_with_utf_8,
        requests_before_initialize_and_after_shutdown_are_refused,
        an_exit_without_shutdown_has_exit_code_1,
        messages_that_cannot_be_read_are_answered_and_the_next_one_is_read,
        a_huge_message_is_refused_and_skipped,
        invalid_parameters_and_positions_of_notifications_are_ignored,
        a_request_that_is_cancelled_before_its_turn_is_answered_as_cancelled,
        every_prefix_of_a_file_is_answered,
        a_module_is_checked_as_a_part_of_the_modules_that_call_it,
        actions_are_supported_like_resources,
        files_that_other_programs_change_are_read_again,
        installed_providers_complete_and_describe_their_types,
        answers_are_fast_in_a_workspace_of_1000_resources,
    ]))
