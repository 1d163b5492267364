#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the console of `iacctl state serve`, over HTTP and in a browser. Usage: console.py IACCTL [DIRECTORY]. Saves pictures in
DIRECTORY. The variable AXE can name the file axe.min.js of axe-core, with which the pages are then checked too."""

import base64
import concurrent.futures
import contextlib
import datetime
import http.client
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
for folder in ("tests/golden", "tests/iacctl/views", "tests/iacctl"):
    sys.path.insert(0, str(ROOT / folder))
import tap  # noqa: E402
from browser import Browser  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402
from state_server import Server  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
PICTURES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
if PICTURES:
    PICTURES.mkdir(parents=True, exist_ok=True)
MARKUP = "<img src=x onerror=document.title='owned'>"


def user(place, name, role="write"):
    subprocess.run([IACCTL, "state", "serve", f"-users={place / 'users'}", f"-add-user={name}", f"-role={role}"], input=f"secret of {name}\n",
        text=True, check=True, capture_output=True)


@contextlib.contextmanager
def serving(place, *options):
    server = Server(IACCTL, place / "states", *options)
    try:
        yield server
    finally:
        server.stop()


class Client:
    """A browser without a window: it keeps its cookie and its token."""

    def __init__(self, server, name=None):
        self.server, self.cookie, self.token = server, None, None
        if name:
            status, body, _ = self.send("POST", "/console/api/session", {"name": name, "password": f"secret of {name}"})
            assert status == 200, (status, body)
        else:
            status, body, _ = self.send("GET", "/console/api/session")
        self.token = body.get("token")


    def workspaces(self):
        """The workspaces. The console observes a document after the reply to its writer, so the first one may appear later."""
        for _ in range(200):
            if found := self.get("workspaces")["workspaces"]:
                return found
            time.sleep(0.05)
        raise AssertionError("no workspace appears")

    def send(self, method, path, body=None, headers=None, token=True):
        all_headers = dict(headers or {})
        if self.cookie:
            all_headers["Cookie"] = self.cookie
        if self.token and token:
            all_headers["X-CSRF-Token"] = self.token
        if body is not None:
            all_headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), all_headers)
            got = connection.getresponse()
            text = got.read().decode()
        finally:
            connection.close()
        cookie = got.headers.get("Set-Cookie")
        if cookie:
            self.cookie = cookie.split(";")[0]
        try:
            text = json.loads(text)
        except ValueError:
            pass
        return got.status, text, got.headers

    def get(self, path):
        status, body, _ = self.send("GET", "/console/api/" + path)
        assert status == 200, (path, status, body)
        return body


class Events(threading.Thread):
    """Receives the events of a console: `seen` has the time, the type and the data of each."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection("127.0.0.1", client.server.port, timeout=60)
        self.connection.request("GET", "/console/events", headers={"Cookie": client.cookie} if client.cookie else {})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200 and self.answer.headers["Content-Type"] == "text/event-stream", self.answer.headers
        self.raw, self.parsed = [], []
        self.start()

    @property
    def seen(self):
        """The events until now. They are parsed here and not by the thread that receives them, which would delay other threads."""
        while len(self.parsed) < len(self.raw):
            at, kind, text = self.raw[len(self.parsed)]
            self.parsed.append((at, kind, json.loads(text)))
        return self.parsed

    def run(self):
        kind = ""
        with contextlib.suppress(OSError, AttributeError, ValueError):
            while line := self.answer.readline():
                text = line.decode().rstrip("\n")
                if text.startswith("event: "):
                    kind = text[7:]
                elif text.startswith("data: "):
                    self.raw.append((time.time(), kind, text[6:]))

    def wait(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for at, kind, data in self.seen:
                if condition(kind, data):
                    return at, data
            time.sleep(0.02)
        raise AssertionError(f"no such event among {self.seen[-3:]}")


def state(serial, resources=(), outputs=None, lineage="L"):
    return {"version": 4, "terraform_version": "1.11.4", "serial": serial, "lineage": lineage, "outputs": outputs or {}, "resources": list(resources), "check_results": None}


def resource(kind, name, instances, module=None, provider="registry.terraform.io/hashicorp/aws"):
    made = {"mode": "managed", "type": kind, "name": name, "provider": f'provider["{provider}"]', "instances": instances}
    return dict(made, module=module) if module else made


def instance(attributes, key=None, sensitive=(), dependencies=()):
    made = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": [[{"type": "get_attr", "value": one}] for one in sensitive]}
    if key is not None:
        made["index_key"] = key
    if dependencies:
        made["dependencies"] = list(dependencies)
    return made


def lock_info(name, who="ann@laptop"):
    return {"ID": name, "Operation": "OperationTypeApply", "Info": "", "Who": who, "Version": "1.11.4", "Created": "2026-01-02T03:04:05Z", "Path": ""}


def put(server, name, document, lock=None, headers=None):
    status, text = server.send("POST", f"/states/{name}" + (f"?ID={lock}" if lock else ""), json.dumps(document), headers)
    assert status == 200, (status, text)


def run(place, *arguments, code=0, **environment):
    done = subprocess.run([IACCTL, *arguments], cwd=place, capture_output=True, text=True, timeout=120, env=dict(os.environ, **environment))
    assert done.returncode == code, (done.returncode, done.stdout + done.stderr)
    return done.stdout + done.stderr


def basic(name):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:secret of {name}".encode()).decode()}


# ---- over HTTP ----


def pages_have_headers_that_exclude_other_sites(place):
    user(place, "ann")
    with serving(place, f"-users={place / 'users'}") as server:
        client = Client(server, "ann")
        put(server, "a", state(1), headers=basic("ann"))
        for path in ("/console/", "/console/console.js", "/console/console.css", "/console/graph.js", "/console/graph/states/a", "/console/api/session",
                     "/console/api/workspaces", "/console/none"):
            _, body, headers = client.send("GET", path)
            policy = dict(one.strip().split(" ", 1) for one in headers["Content-Security-Policy"].split(";"))
            assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'" and policy["style-src"] == "'self'", policy
            assert policy["frame-ancestors"] == "'none'" and policy["base-uri"] == "'none'" and "unsafe" not in str(policy), policy
            assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer", str(headers)
            assert headers["X-Frame-Options"] == "DENY" and headers["Cache-Control"] == "no-store", str(headers)
            if path in ("/console/", "/console/graph/states/a"):
                assert "<style" not in body and " style=" not in body and "://" not in body.replace("http://www.w3.org", ""), path
                assert body.count("<script") == body.count("<script src=\"/console/") + body.count("<script type=\"application/json\""), path
        status, _, headers = client.send("GET", "/")
        assert status == 303 and headers["Location"] == "/console/"


def sessions_are_cookies_that_scripts_cannot_read(place):
    user(place, "ann")
    with serving(place, f"-users={place / 'users'}") as server:
        stranger = Client(server)
        assert stranger.send("GET", "/console/api/session")[1] == {"user": None}
        status, _, headers = stranger.send("GET", "/console/api/workspaces")
        assert status == 401 and "WWW-Authenticate" not in headers, "no dialogue of the browser"
        assert stranger.send("GET", "/console/events")[0] == 401
        assert stranger.send("POST", "/console/api/session", {"name": "ann", "password": "wrong"})[0] == 401
        assert stranger.send("POST", "/console/api/session", {"name": "ann", "password": "x" * 5000})[0] == 413
        status, body, headers = stranger.send("POST", "/console/api/session", {"name": "ann", "password": "secret of ann"})
        cookie = headers["Set-Cookie"]
        assert status == 200 and {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; ")) and "Secure" not in cookie, cookie
        client = Client(server, "ann")
        assert client.get("session")["user"] == "ann" and client.get("workspaces")["workspaces"] == []
        assert Client(server).send("GET", "/console/api/workspaces", headers=basic("ann"))[0] == 200, "scripts may use a password"
        # The session ends when its user logs out, and when the password changes.
        other = Client(server, "ann")
        assert other.send("DELETE", "/console/api/session", token=False)[0] == 403
        assert other.send("DELETE", "/console/api/session")[0] == 200
        other.cookie = other.cookie or "iacctl=0"
        assert other.send("GET", "/console/api/workspaces")[0] == 401
        events = Events(client)
        time.sleep(0.01)
        subprocess.run([IACCTL, "state", "serve", f"-users={place / 'users'}", "-add-user=ann"], input="another\n", text=True, check=True)
        assert client.send("GET", "/console/api/workspaces")[0] == 401
        events.join(30)
        assert not events.is_alive(), "events end with the session"


def tls_makes_cookies_secure(place):
    if shutil.which("openssl") is None:
        raise tap.Missing("openssl")
    user(place, "ann")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", place / "key.pem", "-out", place / "cert.pem", "-days", "2", "-subj", "/CN=localhost"], check=True, capture_output=True)
    process = subprocess.Popen([IACCTL, "state", "serve", "-listen=127.0.0.1:0", f"-directory={place / 'states'}", f"-users={place / 'users'}",
        f"-tls-certificate={place / 'cert.pem'}", f"-tls-key={place / 'key.pem'}"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=ssl._create_unverified_context(), timeout=20)
        connection.request("POST", "/console/api/session", json.dumps({"name": "ann", "password": "secret of ann"}), {"Content-Type": "application/json"})
        cookie = connection.getresponse().headers["Set-Cookie"]
        connection.close()
        assert cookie.startswith("__Host-iacctl=") and {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; ")), cookie
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def locks_are_released_by_those_who_may_and_with_the_token(place):
    user(place, "ann")
    user(place, "eve", "read")
    with serving(place, f"-users={place / 'users'}") as server:
        put(server, "a", state(1), headers=basic("ann"))
        assert server.send("LOCK", "/states/a", json.dumps(lock_info("one")), basic("ann"))[0] == 200
        ann, eve = Client(server, "ann"), Client(server, "eve")
        [held] = ann.workspaces()[0]["locks"]
        assert held["id"] == "one" and held["operation"] == "apply" and "ann@laptop" in held["holder"] and held["whole"], held
        assert held["release"] == "iacctl force-unlock one", held
        unlock = "/console/api/unlock/states/a"
        assert eve.send("POST", unlock, {"id": "one"})[0] == 403
        assert ann.send("POST", unlock, {"id": "one"}, token=False)[0] == 403
        assert ann.send("POST", unlock, {"id": "one"}, headers={"X-CSRF-Token": "0" * 64}, token=False)[0] == 403
        assert ann.send("POST", unlock, {"id": "one"}, headers={"Origin": "https://evil.example"})[0] == 403
        assert ann.send("POST", unlock, {"id": "one"}, headers={"Sec-Fetch-Site": "cross-site"})[0] == 403
        assert ann.send("POST", unlock, {"id": "one"}, headers=basic("ann"))[0] == 403, "a password that a browser sends by itself is no token"
        assert ann.send("POST", unlock, {"id": "other"})[0] == 409
        assert ann.send("GET", unlock)[0] == 405
        assert len(ann.get("workspaces")["workspaces"][0]["locks"]) == 1
        assert ann.send("POST", unlock, {"id": "one"})[0] == 200
        assert ann.get("workspaces")["workspaces"][0]["locks"] == []
        assert ann.send("POST", unlock, {"id": "one"})[0] == 409
        assert eve.send("POST", "/reports/states/a?run=1", {}, headers=basic("eve"))[0] == 403


def sensitive_values_are_in_no_reply(place):
    first = [resource("aws_instance", "web", [instance({"id": "i-1", "ami": "ami-1", "user_data": "hush-marked", "db_password": "hush-named",
        "nested": [{"api_key": "hush-nested", "password_length": 12}]}, key="a", sensitive=["user_data"])]),
        resource("random_password", "db", [instance({"id": "none", "length": 10, "result": "hush-schema", "bcrypt_hash": "hush-hash"})], provider="registry.terraform.io/hashicorp/random")]
    first[0]["instances"][0]["private"] = base64.b64encode(b"hush-private").decode()
    second = json.loads(json.dumps(first).replace("ami-1", "ami-2").replace("hush-", "hush-2-"))
    outputs = {"address": {"value": "10.0.0.1", "type": "string"}, "password": {"value": "hush-output", "type": "string", "sensitive": True}}
    with serving(place) as server:
        put(server, "a", state(1, first, outputs))
        put(server, "a", state(2, second + [resource("aws_vpc", "main", [instance({"id": "vpc-1"})])], dict(outputs, address={"value": "10.0.0.2", "type": "string"})))
        client = Client(server)
        versions = client.get("history/states/a")["versions"]
        assert [one["serial"] for one in versions] == [2, 1]
        new, old = (one["version"] for one in versions)
        replies = [client.get("state/states/a"), client.get("resource/states/a?address=aws_instance.web%5B%22a%22%5D"), client.get("resource/states/a?address=random_password.db"),
            client.get(f"difference/states/a?from={old}&to={new}"), client.get("search?q=hush"), client.get("search?q=web"), client.get("workspaces"),
            client.send("GET", "/console/graph/states/a")[1]]
        assert "hush" not in json.dumps(replies[:4] + replies[5:]) and replies[4] == {"results": []}, "a secret is shown"
        rows = {one["path"]: one["after"] for one in replies[1]["rows"]}
        assert rows["ami"] == '"ami-2"' and rows["nested[0].password_length"] == "12" and rows["db_password"] == "(sensitive value)", rows
        assert {one["name"]: one["value"] for one in replies[0]["outputs"]} == {"address": "10.0.0.2", "password": "(sensitive value)"}
        changes = {one["address"]: one for one in replies[3]["changes"]}
        assert changes["aws_vpc.main"]["action"] == "create" and changes["address"]["output"], changes
        [ami] = [row for row in changes['aws_instance.web["a"]']["rows"] if row["path"] == "ami"]
        assert (ami["before"], ami["after"]) == ('"ami-1"', '"ami-2"'), ami
        reverse = client.get(f"difference/states/a?from={new}&to={old}")
        assert {one["address"]: one["action"] for one in reverse["changes"]}["aws_vpc.main"] == "destroy"
        assert [one["address"] for one in client.get("state/states/a?version=" + str(old))["resources"]] == ['aws_instance.web["a"]', "random_password.db"]
        assert client.send("GET", "/console/api/state/states/a?version=x")[0] == 400
        assert client.send("GET", "/console/api/state/states/..")[0] == 404


def a_search_finds_objects_of_all_workspaces(place):
    with serving(place) as server:
        for number in range(12):
            put(server, f"team-{number}", state(1, [resource("aws_instance", "web", [instance({"id": f"i-{number}", "tags": {"zone": f"zone {number % 3}"}})])]))
        client = Client(server)
        found = client.get("search?q=" + "AWS_instance%20zone%202")["results"]
        assert sorted(one["at"]["name"] for one in found) == ["team-11", "team-2", "team-5", "team-8"], found
        assert found[0]["attribute"] == "tags.zone" and found[0]["text"] == "zone 2", found
        assert client.send("GET", "/console/api/search?q=")[0] == 400
        behind = client.get("search?q=zone&after=states%2Fteam-1x")["results"]
        assert "team-2" in {one["at"]["name"] for one in behind}, "a search goes on behind a workspace that is gone"
        many = [resource("aws_instance", "many", [instance({"id": f"i-{key}"}, key=key) for key in range(300)])]
        put(server, "team-all", state(1, many))
        client.get("state/states/team-all")
        part = client.get("search?q=aws_instance")
        while "next" in part:
            part = client.get("search?q=aws_instance&after=" + part["next"].replace("/", "%2F"))
        assert part.get("cut") is True and len(part["results"]) == 200, (part.get("cut"), len(part["results"]))


def encrypted_states_have_a_history_only(place):
    with serving(place) as server:
        put(server, "a", {"serial": 1, "lineage": "L", "meta": {}, "encrypted_data": "AAAA", "encryption_version": "v0"})
        client = Client(server)
        [one] = client.workspaces()
        assert one["sealed"] and one["last"]["serial"] == 1
        status, body, _ = client.send("GET", "/console/api/state/states/a")
        assert status == 409 and "encrypted" in body["error"], body


def writes_and_locks_are_events(place):
    with serving(place) as server:
        put(server, "a", state(1))
        client = Client(server)
        events = Events(client)
        events.wait(lambda kind, data: kind == "workspace" and data["name"] == "a")
        begun = time.time()
        server.send("LOCK", "/states/a", json.dumps(lock_info("one")))
        at, data = events.wait(lambda kind, data: kind == "workspace" and data["locks"])
        assert at - begun < 1 and data["run"]["operation"] == "apply", (at - begun, data)
        begun = time.time()
        put(server, "a", state(2, [resource("aws_vpc", "main", [instance({"id": "vpc-1"})])]), lock="one")
        at, data = events.wait(lambda kind, data: kind == "workspace" and data.get("last", {}).get("serial") == 2)
        assert at - begun < 1 and data["resources"] == 1 and data["run"]["last"][0]["address"] == "aws_vpc.main", data
        server.send("UNLOCK", "/states/a", json.dumps(lock_info("one")))
        _, data = events.wait(lambda kind, data: kind == "workspace" and "ended" in data.get("run", {}))
        assert data["run"]["done"] == 1 and data["locks"] == []
        put(server, "b", state(1))
        events.wait(lambda kind, data: kind == "workspace" and data["name"] == "b")


def lines_of_terraform_are_reports(place):
    """Another program reports with the lines of `apply -json`."""
    lines = [{"type": "version", "terraform": "1.11.4"}, {"type": "planned_change", "change": {"resource": {"addr": "aws_vpc.main"}, "action": "create"}},
        {"type": "planned_change", "change": {"resource": {"addr": "aws_vpc.old"}, "action": "delete"}},
        {"type": "apply_start", "hook": {"resource": {"addr": "aws_vpc.old"}, "action": "delete"}},
        {"type": "apply_start", "hook": {"resource": {"addr": "aws_vpc.main"}, "action": "create"}},
        {"type": "apply_complete", "hook": {"resource": {"addr": "aws_vpc.main"}, "action": "create"}},
        {"type": "apply_errored", "hook": {"resource": {"addr": "aws_vpc.old"}, "action": "delete"}},
        {"type": "diagnostic", "diagnostic": {"severity": "error", "summary": "It is in use", "detail": "Detach it.", "address": "aws_vpc.old"}}]
    with serving(place) as server:
        put(server, "a", state(1))
        report = lambda query, body: server.send("POST", "/reports/states/a" + query, body)  # noqa: E731
        assert report("?run=r1", "".join(json.dumps(one) + "\n" for one in lines[:5]) + "no JSON\n")[0] == 200
        client = Client(server)
        run_now = client.workspaces()[0]["run"]
        assert (run_now["planned"], run_now["at_once"], run_now["reported"]) == (2, 2, True), run_now
        assert report("?run=r1&end=failed", "".join(json.dumps(one) + "\n" for one in lines[5:]))[0] == 200
        ended = client.get("run/states/a")
        assert (ended["done"], ended["failed"], ended["result"]) == (1, 1, "failed") and ended["problems"][0]["summary"] == "It is in use", ended
        assert {one["action"] for one in ended["operations"]} == {"create", "destroy"}
        assert server.send("POST", "/reports/states/.none?run=r1", "{}\n")[0] == 404
        assert server.send("POST", "/reports/other/a?run=r1", "{}\n")[0] == 404
        assert server.send("GET", "/reports/states/a")[0] == 405
        assert report("?run=" + "x" * 200, "{}")[0] == 400


def a_destroy_is_shown_as_a_destroy(place):
    """By the command, by the option of an apply, and by a saved plan."""
    where = project(place)
    with serving(place) as server:
        client = Client(server)
        for number, commands in enumerate(([["destroy", "-auto-approve"]], [["apply", "-destroy", "-auto-approve"]],
                                           [["plan", "-destroy", "-out=all.plan"], ["apply", "all.plan"]])):
            reported = {"IACCTL_REPORT": f"http://127.0.0.1:{server.port}/reports/states/network-{number}"}
            run(where, "apply", "-auto-approve", **reported)
            assert client.get(f"run/states/network-{number}")["operation"] == "apply"
            for one in commands:
                run(where, *one, **reported)
            ended = client.get(f"run/states/network-{number}")
            assert (ended["operation"], ended["result"], ended["done"]) == ("destroy", "complete", 5), ended


def huge_texts_do_not_prevent_reports(place):
    """A diagnostic of megabytes is shown, cut, and so is a drift of many objects."""
    (place / "huge.txt").write_text("A <b>huge</b> text of a provider. " * 100_000)
    (place / "main.tf").write_text("""resource "terraform_data" "one" {
  input = "x"
  lifecycle {
    postcondition {
      condition     = self.output == "y"
      error_message = file("huge.txt")
    }
  }
}
resource "local_file" "many" {
  count    = 3000
  filename = "${path.module}/files/${count.index}.txt"
  content  = "x"
}
""")
    with serving(place) as server:
        client = Client(server)
        address = f"http://127.0.0.1:{server.port}/reports/states/network"
        shown = run(place, "apply", "-auto-approve", code=1, IACCTL_REPORT=address)
        assert "report_not_sent" not in shown, shown[-1000:]
        ended = client.get("run/states/network")
        [problem] = [one for one in ended["problems"] if one["level"] == "error"]
        assert ended["result"] == "failed" and "A <b>huge</b> text" in problem["detail"] and len(problem["detail"]) < 9000, ended["problems"]
        shutil.rmtree(place / "files")
        (place / "main.tf").write_text((place / "main.tf").read_text().replace('== "y"', '== "x"'))
        shown = run(place, "watch", "-rounds=1", code=2, IACCTL_REPORT=address)
        assert "report_not_sent" not in shown, shown[-1000:]
        [drift] = [one["drift"] for one in client.get("workspaces")["workspaces"] if "drift" in one]
        assert len(drift["objects"]) > 100 and len(drift["objects"]) + drift["left_out"] == 3000, (len(drift["objects"]), drift.get("left_out"))
        assert len(json.dumps(drift)) < 100_000


def project(place, backend=""):
    where = place / "network"
    where.mkdir()
    (where / "main.tf").write_text("""terraform {
  %s
}
variable "seconds" {
  default = 0
}
resource "terraform_data" "zone" {
  input = "example.org"
}
resource "time_sleep" "slow" {
  count           = 3
  create_duration = "${var.seconds}s"
  triggers        = { zone = terraform_data.zone.output, seconds = var.seconds }
}
resource "local_file" "hosts" {
  filename = "${path.module}/hosts.txt"
  content  = terraform_data.zone.output
}
output "zone" {
  value = terraform_data.zone.output
}
""" % backend)
    return where


def watches_a_project(place, where, server, kind, **environment):
    client = Client(server)
    events = Events(client)
    of_project = lambda kind, data: kind == "workspace" and data["source"] == "network" and "unread" not in data  # noqa: E731
    _, data = events.wait(of_project)
    assert data["last"]["command"] == "apply" and data["resources"] == 5 and "@" in data["last"]["author"], data
    assert {one["name"]: one["type"] for one in client.get("workspaces")["sources"]} == {"states": "http", "network": kind}
    # An apply is known by its lock and its writes.
    process = subprocess.Popen([IACCTL, "apply", "-auto-approve", "-var=seconds=2"], cwd=where, stdout=subprocess.DEVNULL, env=dict(os.environ, **environment))
    _, data = events.wait(lambda kind, data: of_project(kind, data) and data["locks"] and "ended" not in data["run"] and data["run"]["at_once"] >= 3)
    assert {one["address"] for one in data["run"]["running"]} >= {f"time_sleep.slow[{i}]" for i in range(3)} and not data["run"]["reported"], data
    assert process.wait(60) == 0
    _, data = events.wait(lambda kind, data: of_project(kind, data) and "ended" in data["run"] and data["run"]["done"] >= 6)
    assert data["run"]["result"] == "complete" and data["locks"] == []
    versions = client.get("history/network/default")["versions"]
    assert len(versions) == 2 and all(one["command"] == "apply" for one in versions), versions
    found = client.get(f"difference/network/default?from={versions[1]['version']}&to={versions[0]['version']}")
    changed = {one["address"] for one in found["changes"]}
    assert {f"time_sleep.slow[{i}]" for i in range(3)} <= changed and "terraform_data.zone" not in changed, changed
    assert client.send("GET", "/console/graph/network/default")[1].count("time_sleep.slow[") >= 3
    # Drift that "watch" has found.
    (where / "hosts.txt").write_text("changed by hand")
    run(where, "watch", "-rounds=1", "-var=seconds=2", code=2, IACCTL_REPORT=f"http://127.0.0.1:{server.port}/reports/network/default", **environment)
    _, data = events.wait(lambda kind, data: of_project(kind, data) and data.get("drift", {}).get("objects"))
    assert [one["address"] for one in data["drift"]["objects"]] == ["local_file.hosts"], data["drift"]


def a_console_that_does_not_answer_delays_a_command_by_seconds(place):
    where = project(place)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/reports/states/network"
        for arguments, code in ((("apply", "-auto-approve"), 0), (("apply", "-auto-approve", "-json", "-json-into=x"), 1)):
            began = time.monotonic()
            assert "[report_not_sent]" in run(where, *arguments, code=code, IACCTL_REPORT=address)
            took = time.monotonic() - began
            assert took < 15, took  # one request of at most 5 seconds, beside the command


def projects_on_this_machine_are_observed(place):
    where = project(place)
    run(where, "apply", "-auto-approve")
    with serving(place, f"-project={where}") as server:
        watches_a_project(place, where, server, "local")


def projects_in_postgresql_are_observed(place):
    if not PostgresServer.is_installed():
        raise tap.Missing("postgresql")
    place.chmod(0o755)
    (place / "pg").mkdir()
    database = PostgresServer(place / "pg")
    environment = {"PG_CONN_STR": database.url, "IACCTL_PG_MODE": "native"}
    try:
        where = project(place, 'backend "pg" {}')
        run(where, "init", **environment)
        run(where, "apply", "-auto-approve", **environment)
        os.environ.update(environment)
        with serving(place, f"-project={where}") as server:
            watches_a_project(place, where, server, "pg", **environment)
            # A lock of addresses: what it changes, and its release.
            process = subprocess.Popen([IACCTL, "apply", "-auto-approve", "-var=seconds=30", "-target=time_sleep.slow[0]"], cwd=where, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=dict(os.environ))
            client = Client(server)
            end = time.monotonic() + 30
            locks = []
            while not (locks and locks[0].get("written")) and time.monotonic() < end:
                [at] = [one for one in client.get("workspaces")["workspaces"] if one["source"] == "network"]
                locks = at["locks"]
            assert "time_sleep.slow[0]" in " ".join(locks[0]["written"]) and not locks[0]["whole"], locks
            assert client.send("POST", "/console/api/unlock/network/default", {"id": locks[0]["id"]})[0] == 200
            process.terminate()
            process.wait(60)
    finally:
        for name in environment:
            os.environ.pop(name, None)
        database.stop()


def waited_for_processor(process):
    """The seconds that a thread of a process was ready to run and did not, because others ran: the most of all threads."""
    most = 0
    for one in pathlib.Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            most = max(most, int(one.read_text().split()[1]))
    return most / 1e9


def twenty_applies_are_shown_within_a_second(place):
    applies = 20
    with serving(place) as server:
        (place / "w").mkdir()
        def configured(number):
            where = place / "w" / f"team-{number}"
            where.mkdir()
            address = f"http://127.0.0.1:{server.port}/states/team-{number}"
            (where / "main.tf").write_text(f"""terraform {{
  backend "http" {{
    address        = "{address}"
    lock_address   = "{address}"
    unlock_address = "{address}"
  }}
}}
resource "terraform_data" "item" {{
  count = 300
  input = "value ${{count.index}}"
}}
resource "time_sleep" "step" {{
  count           = 24
  create_duration = "1s"
}}
""")
            run(where, "init")
            return where
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            places = list(pool.map(configured, range(applies)))
        client = Client(server)
        watching = [Events(client) for _ in range(3)]
        processes = [subprocess.Popen([IACCTL, "apply", "-auto-approve", "-json-into=lines", "-parallelism=8"], cwd=where, stdout=subprocess.DEVNULL,
            env=dict(os.environ, IACCTL_REPORT=f"http://127.0.0.1:{server.port}/reports/states/{where.name}")) for where in places]
        at_once = 0
        waited = {}  # a machine that has too much to do delays everything
        while any(one.poll() is None for one in processes):
            now = client.get("workspaces")["workspaces"]
            at_once = max(at_once, sum(1 for one in now if "run" in one and "ended" not in one["run"]))
            for one in processes:
                waited[one.pid] = max(waited.get(one.pid, 0), waited_for_processor(one))
            time.sleep(0.2)
        excuse = waited_for_processor(server.process) + max(waited.values())
        assert all(one.returncode == 0 for one in processes), [one.returncode for one in processes]
        late = []
        for where in places:
            watching[0].wait(lambda kind, data, name=where.name: kind == "workspace" and data["name"] == name and data.get("run", {}).get("result") == "complete")
            mine = [(at, data["run"]) for at, kind, data in watching[0].seen if kind == "workspace" and data["name"] == where.name and data.get("run", {}).get("reported")]
            assert mine[-1][1]["done"] == 324 and mine[-1][1]["result"] == "complete", mine[-1]
            count = 0
            for line in (where / "lines").read_text().splitlines():
                one = json.loads(line)
                if one["type"] != "apply_complete":
                    continue
                count += 1
                told = datetime.datetime.fromisoformat(one["@timestamp"].replace("Z", "+00:00")).timestamp()
                shown = next(at for at, now in mine if now["done"] >= count)
                late.append(shown - told)
        late.sort()
        peak = next(int(line.split()[1]) for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM:"))
        print(f"# {applies} applies, {at_once} at once, {len(late)} operations: shown after {1000 * late[len(late) // 2]:.0f} ms (median), "
              f"{1000 * late[len(late) * 95 // 100]:.0f} ms (95 of 100), {1000 * late[-1]:.0f} ms (last); peak memory of the server {peak / 1024:.1f} MiB; waited {excuse:.1f} s for a processor")
        assert at_once >= 10, at_once
        assert late[len(late) * 95 // 100] <= 1 + excuse, late[-20:]
        if not built_with_sanitizer():
            assert peak <= 64 * 1024, peak


def built_with_sanitizer():
    return b"__asan_init" in IACCTL.read_bytes() or b"__tsan_init" in IACCTL.read_bytes()


# ---- in a browser ----


def team(server, hostile=False, by=(None, None)):
    """Some workspaces with history, a run with an error, locks and drift. by: the headers of two users"""
    ann, bob = by
    zones = ["eu-central-1a", "eu-central-1b", "eu-central-1c"]
    names = ["network", "database", "frontend", "payments"]
    for number, name in enumerate(names):
        vpc = resource("aws_vpc", "main", [instance({"id": f"vpc-{number}", "cidr_block": f"10.{number}.0.0/16", "tags": {"team": name}})], module="module.network")
        subnets = resource("aws_subnet", "zone", [instance({"id": f"subnet-{number}-{i}", "availability_zone": zone, "vpc_id": f"vpc-{number}"}, key=zone, dependencies=["module.network.aws_vpc.main"]) for i, zone in enumerate(zones)], module="module.network")
        web = resource("aws_instance", "web", [instance({"id": f"i-{number}-{i}", "ami": "ami-0a1b2c", "instance_type": "t3.large", "user_data": "secret", "subnet_id": f"subnet-{number}-{i % 3}"}, key=i, sensitive=["user_data"], dependencies=["module.network.aws_subnet.zone", "module.network.aws_vpc.main"]) for i in range(4 + number)])
        balancer = resource("aws_lb", "front", [instance({"id": f"lb-{number}", "name": name}, dependencies=["aws_instance.web", "module.network.aws_subnet.zone", "module.network.aws_vpc.main"])])
        outputs = {"address": {"value": f"{name}.example.org", "type": "string"}, "admin_password": {"value": "hush", "type": "string", "sensitive": True}, "subnets": {"value": [f"subnet-{number}-{i}" for i in range(3)], "type": ["list", "string"]}}
        put(server, name, state(1, [vpc, subnets], outputs), headers=ann)
        put(server, name, state(2, [vpc, subnets, web], outputs), headers=bob)
        newer = json.loads(json.dumps(web).replace("ami-0a1b2c", "ami-9f8e7d").replace("t3.large", "t3.xlarge"))
        put(server, name, state(3, [vpc, subnets, newer, balancer], dict(outputs, address={"value": f"www.{name}.example.org", "type": "string"})), headers=ann)
    hostile_text = MARKUP if hostile else "web"
    run_lines = [{"type": "planned_change", "change": {"resource": {"addr": "x"}, "action": "create"}}] * 9
    for i in range(7):
        run_lines.append({"type": "apply_start", "hook": {"resource": {"addr": f'aws_instance.node["{hostile_text}-{i}"]'}, "action": ["create", "update", "delete"][i % 3]}})
    for i in range(3):
        run_lines.append({"type": "apply_complete", "hook": {"resource": {"addr": f'aws_instance.node["{hostile_text}-{i}"]'}, "action": ["create", "update", "delete"][i % 3]}})
    failed = run_lines[:13] + [{"type": "apply_errored", "hook": {"resource": {"addr": f'aws_instance.node["{hostile_text}-3"]'}, "action": "create"}},
        {"type": "diagnostic", "diagnostic": {"severity": "error", "summary": f"Instance limit reached {hostile_text}", "detail": f"The account permits 4 instances of this type.\n{hostile_text}", "address": "aws_instance.node", "range": {"filename": "main.tf", "start": {"line": 12}}, "snippet": {"code": f"resource \"aws_instance\" \"node\" {{ # {hostile_text}"}}}]
    lines_of = lambda all_lines: "".join(json.dumps(one) + "\n" for one in all_lines)  # noqa: E731
    for name in ("frontend", "payments"):
        who = f"bob@{hostile_text}" if hostile else "bob@build-7"
        assert server.send("LOCK", f"/states/{name}", json.dumps(lock_info(f"lock-of-{name}", who)), bob)[0] == 200
    for name, lines, end in (("frontend", run_lines, ""), ("payments", run_lines, ""), ("database", failed, "&end=failed")):
        for i, line in enumerate(lines):
            last = end if i + 1 == len(lines) else ""
            assert server.send("POST", f"/reports/states/{name}?run=r-{name}{last}", lines_of([line]), bob)[0] == 200
            time.sleep(0.03)
    assert server.send("POST", "/reports/states/payments?run=r-second", lines_of(run_lines[9:12]), bob)[0] == 200
    drift = {"time": "2026-01-02T03:04:05Z", "drifted": [{"address": f'aws_instance.web["{hostile_text}"]', "change": "changed", "attributes": ["instance_type", "tags"]}, {"address": "aws_lb.front", "change": "deleted"}]}
    assert server.send("POST", "/reports/states/network", json.dumps(drift) + "\n", bob)[0] == 200
    if hostile:
        put(server, "$&+=:@~", state(1, [resource("aws_instance", "web", [instance({"id": MARKUP, "n": {MARKUP: MARKUP}}, key=MARKUP)])], {MARKUP: {"value": MARKUP, "type": "string"}}))
        put(server, "$&+=:@~", state(2, [resource("aws_instance", "web", [instance({"id": MARKUP + "2"}, key=MARKUP)])], {MARKUP: {"value": MARKUP + "2", "type": "string"}}))


def address_of(server):
    return f"http://127.0.0.1:{server.port}"


def shown(server, route, text, scheme="light", size=(1400, 900)):
    browser.visit(f"{address_of(server)}/console/#{route}", scheme=scheme, size=size)
    browser.wait(f"(document.getElementById('content') || {{ innerText: '' }}).innerText.includes({json.dumps(text)})", seconds=20)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{route} is wider than {size[0]}"


ROUTES = [("/", "network", "workspaces"), ("/running", "Instance limit reached", "running"), ("/w/states/network", "aws_vpc.main", "resources"), ("/w/states/network/outputs", "example.org", "outputs"),
    ("/w/states/network/history", "Difference", "history"), ("/w/states/network/difference/2/3", "ami-9f8e7d", "difference"), ("/w/states/frontend/locks", "Release the lock", "locks"),
    ("/w/states/network/resources//aws_lb.front", "Created with serial 3", "object"), ("/w/states/payments/run", "apply of bob", "runs"),
    ("/w/states/database/run", "Instance limit reached", "run"), ("/w/states/network/drift", "was deleted", "drift"), ("/search/ami-9f8e7d", "results", "search")]


def all_parts_are_shown_in_one_column_and_both_themes(place):
    axe = pathlib.Path(os.environ["AXE"]).read_text() if "AXE" in os.environ else None
    user(place, "ann")
    user(place, "bob")
    with serving(place, f"-users={place / 'users'}") as server:
        team(server, by=(basic("ann"), basic("bob")))
        shown(server, "/", "Log in")
        browser.evaluate("fetch('/console/api/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{\"name\":\"ann\",\"password\":\"secret of ann\"}' })"
                         ".then((r) => r.status)")
        for scheme in ("light", "dark"):
            for size in ((1400, 900), (390, 844)):
                for route, text, name in ROUTES:
                    shown(server, route, text, scheme, size)
                    if name in ("resources", "difference", "search"):
                        browser.evaluate("(document.querySelector('details.object') || {}).open = true")
                        time.sleep(0.3)
                    if PICTURES:
                        browser.picture(PICTURES / f"console-{name}-{scheme}-{size[0]}.png")
                    if axe:
                        browser.evaluate(axe + ";0")
                        found = browser.evaluate("axe.run(document).then((r) => r.violations.map((v) => [v.id, v.nodes[0].html]))")
                        assert found == [], (route, scheme, size, found)
                    assert browser.complaints(address_of(server)) == [], (route, browser.complaints(address_of(server)))
                browser.visit(f"{address_of(server)}/console/graph/states/payments", scheme=scheme, size=size)
                browser.wait("performance.getEntriesByName('first-picture').length > 0", seconds=20)
                assert browser.evaluate("document.getElementById('title').innerText").startswith("12 instances"), browser.text("#title")
                if PICTURES:
                    browser.picture(PICTURES / f"console-graph-{scheme}-{size[0]}.png")
                assert browser.complaints(address_of(server)) == [], browser.complaints(address_of(server))
        browser.call("Network.clearBrowserCookies")
        print("# axe: " + ("0 violations" if axe else "not checked (AXE=axe.min.js)"))


def axe_finds_nothing(place):
    if "AXE" not in os.environ:
        raise tap.Missing("axe-core (AXE=axe.min.js)")
    user(place, "ann")
    with serving(place, f"-users={place / 'users'}") as server:
        for scheme in ("light", "dark"):
            shown(server, "/", "Log in", scheme)
            browser.evaluate(pathlib.Path(os.environ["AXE"]).read_text() + ";0")
            found = browser.evaluate("axe.run(document).then((r) => r.violations.map((v) => [v.id, v.nodes[0].html]))")
            assert found == [], (scheme, found)
            if PICTURES:
                browser.picture(PICTURES / f"console-login-{scheme}-1400.png")


def hostile_texts_are_text(place):
    with serving(place) as server:
        team(server, hostile=True)
        name = "%24%26%2B%3D%3A%40~"
        for route, text in (("/", "$&+=:@~"), ("/running", MARKUP), (f"/w/states/{name}", MARKUP), (f"/w/states/{name}/outputs", MARKUP), (f"/w/states/{name}/history", "serial 2"),
                            ("/w/states/frontend/locks", f"bob@{MARKUP}"), ("/w/states/database/run", f"Instance limit reached {MARKUP}"), ("/w/states/network/drift", MARKUP),
                            ("/search/onerror", MARKUP), ("/search/" + "%3Cimg%20src%3Dx", MARKUP), ("/w/states/" + "%3Cimg%20src%3Dx%3E", "There is no workspace")):
            shown(server, route, text)
            browser.evaluate("document.querySelectorAll('details.object').forEach((one) => { one.open = true; })")
            time.sleep(0.2)
            assert browser.evaluate("document.querySelectorAll('img, main script, [onerror]').length") == 0, route
            assert browser.evaluate("document.title").startswith("iacctl: "), route
        versions = Client(server).get(f"history/states/{name}")["versions"]
        shown(server, f"/w/states/{name}/difference/{versions[1]['version']}/{versions[0]['version']}", MARKUP + "2")
        assert browser.evaluate("document.querySelectorAll('img, [onerror]').length") == 0
        browser.visit(f"{address_of(server)}/console/graph/states/{name}")
        browser.wait("performance.getEntriesByName('first-picture').length > 0", seconds=20)
        assert browser.evaluate("document.querySelectorAll('img, [onerror]').length") == 0 and "owned" not in browser.evaluate("document.title")
        # A script that is added to the page does not run, and other servers are not asked.
        shown(server, "/", "network")
        browser.evaluate("(() => { const s = document.createElement('script'); s.textContent = 'window.owned = 1'; document.body.append(s); })()")
        assert browser.evaluate("window.owned") is None
        assert browser.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')") == "refused"


def runs_that_alternate_have_a_card_each(place):
    start = lambda name: json.dumps({"type": "apply_start", "hook": {"resource": {"addr": f"aws_vpc.{name}"}, "action": "create"}}) + "\n"  # noqa: E731
    with serving(place) as server:
        put(server, "a", state(1))
        shown(server, "/running", "Nothing runs now")
        for name in ("one", "two", "three", "one"):
            assert server.send("POST", f"/reports/states/a?run={name}", start(name))[0] == 200
        browser.wait("document.querySelectorAll('.runs:first-of-type .run').length === 3")
        assert browser.text("#sections .count") == "3", browser.text("#sections")
        assert server.send("POST", "/reports/states/a?run=one&end=failed", json.dumps({"type": "diagnostic", "diagnostic": {"severity": "error", "summary": "It is in use", "address": "aws_vpc.one"}}) + "\n")[0] == 200
        browser.wait("document.querySelectorAll('.runs')[1].querySelectorAll('.run').length === 1")
        shown(server, "/w/states/a/run", "aws_vpc.three")
        assert browser.evaluate("document.querySelectorAll('.choice a').length") == 3
        browser.click_on(".choice a:last-child")
        browser.wait("document.querySelector('main').innerText.includes('It is in use')")
        browser.click_on(".problem a")
        browser.wait("document.querySelector('main').innerText.includes('The state has no object \"aws_vpc.one\"')")
        shown(server, "/w/states/a/run/none", "not known any more")
        assert browser.complaints(address_of(server)) == [], browser.complaints(address_of(server))


def numbers_in_names_are_in_their_order(place):
    names = [f"zone-{i}" for i in range(1, 13)]
    with serving(place) as server:
        for name in names:
            put(server, name, state(1, [resource("aws_vpc", "main", [instance({"id": f"vpc-{key}"}, key=key) for key in names])]))
        shown(server, "/", "zone-12")
        assert browser.evaluate("[...document.querySelectorAll('table.rows a')].map((a) => a.innerText)") == names
        shown(server, "/w/states/zone-3", "zone-12")
        objects = browser.evaluate("[...document.querySelectorAll('details.object .mono')].map((a) => a.innerText)")
        assert objects == [f'aws_vpc.main["{name}"]' for name in names], objects
        shown(server, "/search/vpc-zone-5", "12 results")
        found = browser.evaluate("[...document.querySelectorAll('.found small')].map((a) => a.innerText.replace('in ', '').trim())")
        assert found == names, found


def an_object_tells_who_changed_it_last(place):
    done = json.dumps({"type": "apply_complete", "hook": {"resource": {"addr": "aws_vpc.main"}, "action": "update"}}) + "\n"
    failed = json.dumps({"type": "diagnostic", "diagnostic": {"severity": "error", "summary": "It is in use", "address": "aws_vpc.main"}}) + "\n"
    user(place, "ann")
    user(place, "bob")
    with serving(place, f"-users={place / 'users'}") as server:
        for serial, who, cidr in ((1, "ann", "10.0"), (2, "bob", "10.1"), (3, "ann", "10.1")):
            put(server, "a", state(serial, [resource("aws_vpc", "main", [instance({"id": "vpc-1", "cidr_block": cidr})]), resource("aws_vpc", "main_2", [instance({"id": serial})])]), headers=basic(who))
        assert server.send("POST", "/reports/states/a?run=r1&end=failed", done + failed, basic("bob"))[0] == 200
        shown(server, "/", "Log in")
        browser.evaluate("fetch('/console/api/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{\"name\":\"ann\",\"password\":\"secret of ann\"}' })"
                         ".then((r) => r.status)")
        # From a failed apply to its error, from there to the object, and from the object to its last change.
        shown(server, "/", "apply failed")
        browser.click_on("table.rows td:last-child a")
        browser.wait("document.querySelector('main').innerText.includes('It is in use')")
        browser.click_on(".problem a")
        browser.wait("document.querySelector('main').innerText.includes('Changed with serial 2, ')")
        text = browser.text("main")
        assert ", by bob" in text and "main_2" not in text, text
        links = dict(browser.evaluate("[...document.querySelectorAll('details.object .note a')].map((a) => [a.innerText, a.getAttribute('href')])"))
        assert links["# link"] == "#/w/states/a/resources//aws_vpc.main" and links["Run"] == "#/w/states/a/run/r1", links
        browser.evaluate("[...document.querySelectorAll('details.object .note a')].find((a) => a.innerText === 'Difference').click()")
        browser.wait("document.querySelector('main').innerText.includes('10.1')")
        shown(server, links["# link"].lstrip("#"), "Changed with serial 2")
        assert browser.complaints(address_of(server)) == [], browser.complaints(address_of(server))
        browser.call("Network.clearBrowserCookies")


def a_person_logs_in_releases_a_lock_and_logs_out_by_keys(place):
    user(place, "ann")
    with serving(place, f"-users={place / 'users'}") as server:
        put(server, "a", state(1), headers=basic("ann"))
        server.send("LOCK", "/states/a", json.dumps(lock_info("one")), basic("ann"))
        shown(server, "/", "Log in")
        browser.write("ann")
        browser.press("Tab")
        browser.write("wrong")
        browser.press("Enter")
        browser.wait("document.querySelector('.login .error').innerText.includes('wrong')")
        browser.write("secret of ann")
        browser.press("Enter")
        browser.wait("document.querySelector('table.rows a') !== null")
        assert browser.text("#user") == "ann" and browser.evaluate("document.cookie") == ""
        browser.evaluate("document.querySelector('table.rows a').focus()")
        browser.press("Enter")
        browser.wait("document.querySelector('.tabs') !== null")
        browser.evaluate("[...document.querySelectorAll('.tabs a')].find((one) => one.innerText.startsWith('Locks')).focus()")
        browser.press("Enter")
        browser.wait("document.querySelector('[data-name=release]') !== null")
        browser.evaluate("document.querySelector('[data-name=release]').focus()")
        put(server, "a", state(2), lock="one", headers=basic("ann"))
        browser.wait("document.getElementById('workspace-head').innerText.includes('serial 2')")
        assert browser.evaluate("document.activeElement.dataset.name") == "release", "an event leaves the focus where it was"
        browser.press("Enter")
        assert browser.evaluate("document.activeElement.dataset.name") == "release-now"
        browser.press("Enter")
        browser.wait("document.querySelector('main').innerText.includes('Nobody has locked')", seconds=5)
        browser.press("/")
        assert browser.evaluate("document.activeElement.id") == "search"
        # A change is shown without a reload, and the focus stays.
        browser.evaluate("location.hash = '#/'")
        browser.wait("document.querySelector('table.rows a') !== null")
        browser.evaluate("document.querySelector('table.rows a').focus()")
        put(server, "a", state(3), headers=basic("ann"))
        browser.wait("document.querySelector('table.rows').innerText.includes('serial 3')", seconds=3)
        assert browser.evaluate("document.activeElement.innerText") == "a"
        browser.click_on("#log-out")
        browser.wait("document.querySelector('.login') !== null")
        assert browser.evaluate("fetch('/console/api/workspaces').then((r) => r.status)") == 401
        browser.call("Network.clearBrowserCookies")


if __name__ == "__main__":
    without_browser = [pages_have_headers_that_exclude_other_sites, sessions_are_cookies_that_scripts_cannot_read, tls_makes_cookies_secure,
        locks_are_released_by_those_who_may_and_with_the_token, sensitive_values_are_in_no_reply, a_search_finds_objects_of_all_workspaces,
        encrypted_states_have_a_history_only, writes_and_locks_are_events, lines_of_terraform_are_reports, a_destroy_is_shown_as_a_destroy,
        huge_texts_do_not_prevent_reports, a_console_that_does_not_answer_delays_a_command_by_seconds, projects_on_this_machine_are_observed,
        projects_in_postgresql_are_observed, twenty_applies_are_shown_within_a_second]
    in_browser = [all_parts_are_shown_in_one_column_and_both_themes, axe_finds_nothing, hostile_texts_are_text, runs_that_alternate_have_a_card_each,
        numbers_in_names_are_in_their_order, an_object_tells_who_changed_it_last, a_person_logs_in_releases_a_lock_and_logs_out_by_keys]
    only = os.environ.get("ONLY")
    tests = [one for one in without_browser + in_browser if not only or only in one.__name__]
    try:
        browser = Browser()
    except tap.Missing as missing:
        tool = missing

        def needs_browser(_place):
            raise tool

        sys.exit(tap.run([one for one in tests if one in without_browser] + [needs_browser]))
    with browser:
        sys.exit(tap.run(tests))
