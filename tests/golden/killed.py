#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Every operation with side effects is killed at each of its steps: which operations are pending, what the next plan does, and what
runs again. TAP.

    killed.py IACCTL
"""
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import tap

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
PAUSE = "touch started; while [ ! -e released ]; do sleep 0.05; done"


class Api:
    """Objects on a server, which does not answer one method, before or after its effect."""

    def __init__(self, directory):
        self.objects, self.hangs, self.calls = {}, None, []
        api = self

        class handler(http.server.BaseHTTPRequestHandler):
            def answer(self, effect):
                method, name = self.command, self.path.rsplit("/", 1)[-1]
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                hangs = api.hangs if api.hangs and api.hangs[0] == method else None
                if method != "GET" and hangs != (method, "before"):
                    api.calls.append(method)
                    effect(name, body)
                if hangs:
                    api.hangs = None
                    (directory / "started").touch()
                    return time.sleep(30)
                found = api.objects.get(name if method != "POST" else json.loads(body)["id"])
                self.send_response(200 if found or method == "DELETE" else 404)
                self.end_headers()
                return self.wfile.write(json.dumps(found or {}).encode())

            def make(self, name, body):
                made = json.loads(body)
                api.objects[made["id"]] = made

            def change(self, name, body):
                api.objects[name] = json.loads(body)

            def do_GET(self):
                self.answer(None)

            def do_POST(self):
                self.answer(self.make)

            def do_PUT(self):
                self.answer(self.change)

            def do_DELETE(self):
                self.answer(lambda name, body: api.objects.pop(name, None))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def object(self, identifier="a", value="1", more=""):
        data = json.dumps(json.dumps({"id": identifier, "v": value}))
        return (f'resource "restapi_object" "a" {{\n  uri = "http://127.0.0.1:{self.server.server_port}"\n  path = "/things"\n'
                f'  object_id = "{identifier}"\n  data = {data}\n{more}}}\n')


def local_object(*steps, trigger="1", more=""):
    """An object whose provisioners and actions write lines: ("create", "name", pauses)."""
    blocks = "".join(f'  provisioner "local-exec" {{\n    when = {when}\n    command = {json.dumps(script(name, pauses))}\n  }}\n'
                     for when, name, pauses in steps)
    return f'resource "terraform_data" "a" {{\n  triggers_replace = "{trigger}"\n{blocks}{more}}}\n'


def script(name, pauses):
    return f"echo {name} >> log" + (f"; {PAUSE}" if pauses else "")


def action(event, pauses=True):
    return (f'action "local_command" "x" {{\n  config {{\n    command = "sh"\n    arguments = ["-c", {json.dumps(script("action", pauses))}]\n'
            "  }\n}\n", f"  lifecycle {{\n    action_trigger {{\n      events = [{event}]\n      actions = [action.local_command.x]\n    }}\n  }}\n")


def with_action(event, trigger="1"):
    block, rule = action(event)
    return block + local_object(trigger=trigger, more=rule)


CBD = "  lifecycle {\n    create_before_destroy = true\n  }\n"
EXTERNAL = ('data "external" "d" {{\n  program = ["sh", "-c", {}]\n  query = {{\n    id = {}\n  }}\n}}\n'
            'resource "terraform_data" "a" {{}}\n')
PROGRAM = json.dumps(f"cat > query; {script('data', True)}; echo '{{}}'")


class Case:
    """One row of the table: `first` is applied, then `second` is killed, then it is planned and applied."""

    def __init__(self, name, second, *, first=None, command=("apply", "-auto-approve"), hangs=None, pending=(), refused=None,
                 planned=None, decide=(), runs=(), again=None):
        self.name, self.first, self.second, self.command, self.hangs = name, first, second, command, hangs
        self.pending, self.refused, self.planned, self.decide, self.runs = pending, refused, planned, decide, runs
        self.again = again or command


UNDECIDED = "undecided_operation"
PROVISIONERS = "undecided_provisioners"
ACTION = "undecided_action"
DESTROY = ("destroy", "-auto-approve")
A, R, X = "terraform_data.a", "restapi_object.a", "action.local_command.x"
BOTH = [("create", "made", False), ("destroy", "gone", True)]
TWO = [("destroy", "first", False), ("destroy", "second", True)]

# pending: in state after the kill. refused: the code with which plans end until `decide`. planned: the actions of the next plan.
# runs: the lines and calls of all commands, also of those after the kill.
TABLE = [
    Case("create, before its effect", lambda api: api.object(), hangs=("POST", "before"), pending=[f"{R}: create"],
         planned={R: ["create"]}, runs=["POST"]),
    Case("create, after its effect", lambda api: api.object(), hangs=("POST", "after"), pending=[f"{R}: create"], planned={},
         runs=["POST"]),
    Case("update, before its effect", lambda api: api.object(value="2"), first=lambda api: api.object(), hangs=("PUT", "before"),
         pending=[f"{R}: update"], planned={R: ["update"]}, runs=["POST", "PUT"]),
    Case("update, after its effect", lambda api: api.object(value="2"), first=lambda api: api.object(), hangs=("PUT", "after"),
         pending=[f"{R}: update"], planned={}, runs=["POST", "PUT"]),
    Case("destroy, before its effect", lambda api: api.object(), first=lambda api: api.object(), hangs=("DELETE", "before"),
         command=DESTROY, pending=[f"{R}: destroy"], planned={}, runs=["POST", "DELETE"]),
    Case("destroy, after its effect", lambda api: api.object(), first=lambda api: api.object(), hangs=("DELETE", "after"),
         command=DESTROY, pending=[f"{R}: destroy"], planned={R: ["create"]}, runs=["POST", "DELETE"]),
    Case("replacement, in the destroy operation", lambda api: api.object("b"), first=lambda api: api.object(),
         hangs=("DELETE", "before"), pending=[f"{R}: destroy"], planned={R: ["delete", "create"]}, runs=["POST", "DELETE", "POST"]),
    Case("replacement, in the create operation", lambda api: api.object("b"), first=lambda api: api.object(),
         hangs=("POST", "after"), pending=[f"{R}: create"], planned={}, runs=["POST", "DELETE", "POST"]),
    Case("create_before_destroy, in the create operation", lambda api: api.object("b", more=CBD), first=lambda api: api.object(more=CBD),
         hangs=("POST", "after"), pending=[f"{R}: create"], planned={R: ["delete"]}, runs=["POST", "POST", "DELETE"]),
    Case("create_before_destroy, in the destroy operation", lambda api: api.object("b", more=CBD),
         first=lambda api: api.object(more=CBD), hangs=("DELETE", "before"), pending=[f"{R}: destroy"], planned={R: ["delete"]},
         runs=["POST", "POST", "DELETE"]),
    Case("create provisioner", lambda api: local_object(("create", "made", True)), pending=[f"{A}: create"],
         planned={A: ["delete", "create"]}, runs=["made", "made"]),
    Case("destroy provisioner, which is to run again", lambda api: local_object(*BOTH), first=lambda api: local_object(*BOTH),
         command=DESTROY, pending=[f"{A}: destroy"], refused=PROVISIONERS, decide=[A, "-not-done"], planned={},
         runs=["made", "gone", "gone"]),
    Case("destroy provisioner, which is complete", lambda api: local_object(*BOTH), first=lambda api: local_object(*BOTH),
         command=DESTROY, pending=[f"{A}: destroy"], refused=PROVISIONERS, decide=[A, "-done"], planned={A: ["create"]},
         runs=["made", "gone"]),
    Case("second destroy provisioner", lambda api: local_object(*TWO), first=lambda api: local_object(*TWO), command=DESTROY,
         pending=[f"{A}: destroy"], refused=PROVISIONERS, decide=[A, "-not-done"], planned={},
         runs=["first", "second", "first", "second"]),
    Case("destroy provisioner of a replacement", lambda api: local_object(*BOTH, trigger="2"), first=lambda api: local_object(*BOTH),
         pending=[f"{A}: destroy"], refused=PROVISIONERS, decide=[A, "-done"], planned={A: ["create"]}, runs=["made", "gone", "made"]),
    Case("destroy provisioner that has left the configuration since", lambda api: local_object(*BOTH, trigger="2"),
         first=lambda api: local_object(*BOTH), command=DESTROY, pending=[f"{A}: destroy"], refused=PROVISIONERS,
         decide=[A, "-done"], planned={A: ["create"]}, runs=["made", "gone"]),
    Case("action before a create operation", lambda api: with_action("before_create"), pending=[f"{X}: invoke"], refused=ACTION,
         decide=[X, "-not-done"], planned={A: ["create"]}, runs=["action", "action"]),
    Case("action after a create operation", lambda api: with_action("after_create"), pending=[f"{X}: invoke"], refused=ACTION,
         decide=[X, "-done"], planned={}, runs=["action"]),
    Case("action after an update", lambda api: with_action("after_update").replace("triggers_replace", "input").replace('"1"', '"2"'),
         first=lambda api: with_action("after_update").replace("triggers_replace", "input"), pending=[f"{X}: invoke"],
         refused=ACTION, decide=[X, "-done"], planned={}, runs=["action"]),
    Case("action before a destroy operation", lambda api: with_action("before_destroy"), first=lambda api: with_action("before_destroy"),
         command=DESTROY, pending=[f"{X}: invoke"], refused=ACTION, decide=[X, "-not-done"], planned={}, runs=["action", "action"]),
    Case("action that an option invokes", lambda api: action("after_create")[0], command=("apply", "-auto-approve", f"-invoke={X}"),
         pending=[f"{X}: invoke"], refused=ACTION, decide=[X, "-not-done"], planned={}, runs=["action", "action"]),
    Case("data, read by the plan", lambda api: EXTERNAL.format(PROGRAM, '"x"'), planned={A: ["create"]}, runs=["data", "data", "data"]),
    Case("data, read by the apply", lambda api: EXTERNAL.format(PROGRAM, "terraform_data.a.id"), planned={},
         runs=["data", "data", "data"]),
    Case("import", lambda api: api.object() + f'import {{\n  to = {R}\n  id = "http://127.0.0.1:{api.server.server_port}/things/a"\n}}\n',
         hangs=("GET", "before"), planned={R: "import"}, runs=[], again=("plan",)),
]


def run(directory, *arguments, code=0):
    done = subprocess.run([BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def killed(directory, command):
    running = subprocess.Popen([BINARY, *command], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    for _ in range(1000):
        if (directory / "started").exists():
            break
        assert running.poll() is None, f"{command} ended with {running.returncode}"
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    (directory / "released").touch()


def planned(directory):
    run(directory, "plan", "-out=p")
    changes = json.loads(run(directory, "show", "-json", "p")).get("resource_changes", [])
    return {one["address"]: "import" if one["change"].get("importing") else one["change"]["actions"] for one in changes
            if one["change"].get("importing") or (one["change"]["actions"] != ["no-op"] and one["mode"] == "managed")}


def try_case(case, directory):
    api = Api(directory)
    if "import" in case.name:
        api.objects["a"] = {"id": "a", "v": "1"}
    file = directory / "main.tf"
    if case.first:
        file.write_text(case.first(api))
        (directory / "released").touch()
        run(directory, "apply", "-auto-approve")
        (directory / "released").unlink()
        (directory / "started").unlink(missing_ok=True)
    file.write_text(case.second(api))
    api.hangs = case.hangs
    killed(directory, case.command)

    pending = [re.sub(" of deposed object .*| \\(operation .*", "", line) for line in run(directory, "state", "resolve").splitlines()]
    assert pending == list(case.pending), pending
    if "left the configuration" in case.name:
        file.write_text(local_object(("create", "made", False)))
    if case.refused:
        for command in (["plan"], ["apply", "-auto-approve"], list(DESTROY)):
            printed = run(directory, *command, "-json", code=7)
            codes = [json.loads(line)["diagnostic"].get("code") for line in printed.splitlines() if '"diagnostic"' in line]
            assert codes == [case.refused], (command, codes)
        run(directory, "state", "resolve", *case.decide)
    else:
        assert not case.decide
    assert planned(directory) == case.planned, planned(directory)
    if "left the configuration" not in case.name:
        run(directory, *case.again)
    log = (directory / "log").read_text().split() if (directory / "log").exists() else []
    assert api.calls + log == list(case.runs), api.calls + log
    assert run(directory, "state", "resolve") == ""
    api.server.shutdown()


def test_of(case):
    def test(directory):
        try_case(case, directory)
    test.__name__ = case.name.replace(" ", "_").replace(",", "")
    return test


if __name__ == "__main__":
    os.environ.pop("TF_CLI_ARGS", None)
    sys.exit(tap.run([test_of(case) for case in TABLE]))
