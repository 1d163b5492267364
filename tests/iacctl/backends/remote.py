#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the migration of states between backends, stopped writers, and encryption, with real servers: PostgreSQL, moto
for S3, and `iacctl state serve`. TAP.

    remote.py IACCTL CACHE

If a tool is missing, the test is skipped with its name: postgresql, moto (see s3.py), python3-cryptography.
"""
import base64
import contextlib
import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "golden")]
import tap  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402


def module(name, file):
    """Imports the test script of another folder, for its servers."""
    spec = importlib.util.spec_from_file_location(name, file)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


s3 = module("s3", HERE / "s3.py")
serve = module("serve", HERE.parent / "server" / "run.py")

IACCTL = s3.IACCTL
SECRET = "the-secret-of-this-test"
ENVIRONMENT = {name: value for name, value in s3.ENVIRONMENT.items() if name not in ("TF_ENCRYPTION", "TF_WORKSPACE")}


class Servers:
    """The servers that tests share. Each is started at its first use."""

    def __init__(self, root):
        self.root, self.stack = root, contextlib.ExitStack()
        self.running, self.reasons = {}, {}

    def moto(self):
        program, self.reasons["moto"] = s3.find_moto()
        if program:
            bucket = s3.Bucket(program)
            self.stack.callback(bucket.stop)
            return bucket

    def postgresql(self):
        if not PostgresServer.is_installed():
            return None
        (self.root / "pg").mkdir()
        server = PostgresServer(self.root / "pg")
        self.stack.callback(server.stop)
        return server

    def http(self):
        server = serve.Server(self.root / "states")
        self.stack.callback(server.stop)
        return server

    def cryptography(self):
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError:
            return None
        return AESGCM

    def find(self, name):
        if name not in self.running:
            self.running[name] = getattr(self, name)()
        return self.running[name]


class Workspace:
    """A directory with a configuration whose backend can change."""

    def __init__(self, directory, resources, **environment):
        self.directory, self.resources = directory, resources
        self.environment = dict(ENVIRONMENT, **environment)
        directory.mkdir(parents=True)

    def choose(self, backend, encryption=""):
        (self.directory / "main.tf").write_text(f"terraform {{\n{backend}\n{encryption}}}\n{self.resources}")

    def start(self, *arguments, program=IACCTL):
        return subprocess.Popen([program, *arguments], cwd=self.directory, env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, *arguments, code=0, program=IACCTL):
        process = self.start(*arguments, program=program)
        text, _ = process.communicate(timeout=60)
        if process.returncode != code:
            raise AssertionError(f"{arguments}: exit {process.returncode}, not {code}:\n{text}")
        return text

    def pull(self, program=IACCTL):
        return json.loads(self.run("state", "pull", program=program))

    def wait_for(self, file):
        until = time.monotonic() + 30
        while not (self.directory / file).exists():
            s3.expect(time.monotonic() < until, True, f"{file} appears")
            time.sleep(0.01)


def pg(server, schema):
    return f"""backend "pg" {{
  conn_str    = "{server.url}"
  schema_name = "{schema}"
}}"""


def bucket(server, key):
    return f"""backend "s3" {{
  bucket                      = "states"
  key                         = "{key}"
  region                      = "us-east-1"
  endpoints                   = {{ s3 = "{server.url}" }}
  use_path_style              = true
  use_lockfile                = true
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  skip_region_validation      = true
}}"""


def http(server, name):
    address = f"http://127.0.0.1:{server.port}/states/{name}"
    return f"""backend "http" {{
  address        = "{address}"
  lock_address   = "{address}"
  unlock_address = "{address}"
}}"""


SLOW = """
resource "terraform_data" "a" { input = "%s" }
resource "terraform_data" "slow" {
  provisioner "local-exec" { command = "touch started; while [ ! -e go ]; do sleep 0.02; done" }
}
output "o" { value = terraform_data.a.output }
""" % SECRET


def with_everything(work):
    """Gives a local workspace an object, an output, a deposed object, private data and an interrupted operation."""
    work.choose("")
    work.run("init", "-input=false")
    applying = work.start("apply", "-auto-approve")
    try:
        work.wait_for("started")
    finally:
        applying.kill()
        applying.communicate(timeout=60)
        (work.directory / "go").touch()
    state = work.pull()
    s3.expect([one["kind"] for one in state["pending_operations"]], ["create"], "interrupted operations")
    a = next(one for one in state["resources"] if one["name"] == "a")["instances"]
    a.append(dict(a[0], deposed="00c0ffee", private="b2xk"))
    a[0]["private"] = "bmV3"
    state["outputs"] = {"o": {"value": SECRET, "type": "string"}}
    state["serial"] += 40
    file = work.directory / "everything.json"
    file.write_text(json.dumps(state))
    work.run("state", "push", str(file))
    s3.expect(work.pull()["outputs"], state["outputs"], "the outputs")
    return work.pull()


def moves(directory, server, s3_server, http_server):
    """a state moves from local over pg in both modes, s3 and http back to local, and loses nothing"""
    work = Workspace(directory / "moves", SLOW)
    state = with_everything(work)
    s3.expect(len(state["resources"][0]["instances"]), 2, "a deposed object")
    for backend, options in [(pg(server, "moves"), ["-backend-config=mode=interchange"]),
                             (pg(server, "moves"), ["-backend-config=mode=native"]), (bucket(s3_server, "moves"), []),
                             (http(http_server, "moves"), []), ('backend "local" { path = "back.tfstate" }', [])]:
        work.choose(backend)
        text = work.run("init", "-migrate-state", "-force-copy", "-input=false", *options)
        s3.contains(text, "States copied: 1")
        s3.expect(work.pull(), state, f"the state after {backend.split()[1]} {options}")
    s3.expect(server.sql("SELECT count(*) FROM moves.pending"), "1", "rows of the native tables")
def moves_encrypted(directory, server, s3_server):
    """a state is encrypted in native tables of pg and in s3, where no row and no object has a secret"""
    (directory / "key").write_text("1" * 64)
    encryption = f"""
  encryption {{
    key_provider "file" "k" {{ path = "{directory}/key" }}
    method "aes_gcm" "m" {{ keys = key_provider.file.k }}
    method "unencrypted" "n" {{}}
    state {{
      method = method.aes_gcm.m
      fallback {{ method = method.unencrypted.n }}
    }}
  }}
"""
    work = Workspace(directory / "encrypted", SLOW, IACCTL_PG_MODE="native")
    state = with_everything(work)
    work.choose(pg(server, "encrypted"), encryption)
    work.run("init", "-migrate-state", "-force-copy", "-input=false")
    s3.expect(work.pull(), state, "the state in pg")
    tables = server.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'encrypted'").split()
    rows = "".join(server.sql(f"SELECT t FROM encrypted.{table} t") for table in tables)
    s3.expect((SECRET in rows, SECRET.encode().hex() in rows, "terraform_data.a" in rows), (False, False, True), "rows")
    s3.contains(work.run("state", "verify"), "passed")
    entries = json.loads(work.run("state", "log", "-json"))["entries"]
    last = entries[-1]["sequence"]
    s3.contains(work.run("state", "show", f"-at={last}", "terraform_data.a"), SECRET)
    work.choose(bucket(s3_server, "encrypted"), encryption)
    work.run("init", "-migrate-state", "-force-copy", "-input=false")
    s3.expect(work.pull(), state, "the state in s3")
    stored = s3_server.send("GET", "/states/encrypted")
    s3.expect(SECRET in stored, False, "the object of s3 has the secret")
    s3.expect(sorted(json.loads(stored)), ["encrypted_data", "encryption_version", "lineage", "meta", "serial"])


def fenced(directory, name, backend, free, **environment):
    """Stops a command that holds the lock, has another one apply after `free`, and continues the first.

    Its exit code is 5 and nothing of the other is overwritten. Returns its directory, its output, and the state of the other."""
    slow, quick = (Workspace(directory / f"{name}-{who}", text, **environment)
                   for who, text in (("slow", SLOW), ("quick", SLOW.replace(SECRET, "other"))))
    for work in (slow, quick):
        work.choose(backend)
        work.run("init", "-input=false")
    quick.run("apply", "-auto-approve", "-target=terraform_data.a")
    applying = slow.start("apply", "-auto-approve", "-replace=terraform_data.a")
    try:
        slow.wait_for("started")
        applying.send_signal(signal.SIGSTOP)
        free(quick)
        quick.run("apply", "-auto-approve", "-target=terraform_data.a", "-replace=terraform_data.a", "-lock-timeout=10s")
        before = quick.run("state", "pull")
        (slow.directory / "go").touch()
        applying.send_signal(signal.SIGCONT)
        text, _ = applying.communicate(timeout=60)
    finally:  # no process waits for ever, whatever has failed
        (slow.directory / "go").touch()
        applying.kill()
    s3.expect(applying.returncode, 5, f"the exit code of the command that was stopped:\n{text}")
    s3.expect(quick.run("state", "pull"), before, "the state of the other command")
    return slow, text, json.loads(before)


def instance(state, name):
    return next(one["instances"][0] for one in state["resources"] if one["name"] == name)


def expect_rescue(work, text, before, code):
    """Checks that the message has the code and names a file with all changes, which replaces nothing by itself."""
    s3.contains(text, f"[{code}]")
    file = next(work.directory / word for word in text.split() if "/rescue-" in word)
    copy = json.loads(file.read_text())
    s3.expect(instance(copy, "a")["attributes"]["input"]["value"], SECRET, "the object in the rescue copy")
    s3.expect(instance(copy, "slow")["attributes"]["id"] != "", True, "the object whose operation was running")
    s3.expect((copy["lineage"], oct(file.stat().st_mode)[-3:]), (before["lineage"], "600"))
    s3.expect(work.pull(), before, "the state that later commands use")
    work.run("state", "push", "-force", str(file))
    s3.expect(instance(work.pull(), "a"), instance(copy, "a"), "the state after the copy was pushed")


def terminate(server):
    def free(_):
        server.sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'iacctl'")
    return free


def force_unlock(other):
    refused = " ".join(other.run("apply", "-auto-approve", code=3).split())
    other.run("force-unlock", "-force", refused.split("iacctl force-unlock ")[1].split()[0].rstrip("."))


def fenced_native(directory, server):
    """a stopped command whose connection to native tables of pg has ended is refused, and its changes are in a file"""
    work, text, before = fenced(directory, "native", pg(server, "fenced"), terminate(server), IACCTL_PG_MODE="native")
    s3.contains(" ".join(text.split()), "its connection was lost, or its lock was released with force-unlock")
    expect_rescue(work, text, before, "state_rescued")


def fenced_interchange(directory, server):
    """a stopped command whose connection to the table of pg has ended is refused, and its changes are in a file"""
    expect_rescue(*fenced(directory, "table", pg(server, "fenced_table"), terminate(server)), "mirror_rescued")


def fenced_http(directory, server):
    """a stopped command whose lock on a server was released is refused, and its changes are in a file"""
    expect_rescue(*fenced(directory, "http", http(server, "fenced"), force_unlock), "mirror_rescued")


def fenced_s3(directory, server):
    """a stopped command whose lock in a bucket was released is refused, and its changes are in a file"""
    expect_rescue(*fenced(directory, "s3", bucket(server, "fenced"), force_unlock), "mirror_rescued")


def wait_until_deferred(process):
    """Waits until the command handles signals itself, which begins with its request for a lock."""
    until = time.monotonic() + 30
    while True:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = int(next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), 16)
        if caught >> (signal.SIGINT - 1) & 1:
            return
        s3.expect(time.monotonic() < until, True, "the command asks for the lock")
        time.sleep(0.01)


def interrupted(directory, name, backend, how, **environment):
    """Checks that a signal ends a wait for the lock, and that the holder completes its operation and releases it."""
    slow, quick = (Workspace(directory / f"{name}-{who}", SLOW, **environment) for who in ("slow", "quick"))
    for work in (slow, quick):
        work.choose(backend)
        work.run("init", "-input=false")
    quick.run("apply", "-auto-approve", "-target=terraform_data.a")
    applying = slow.start("apply", "-auto-approve")
    waiting = None
    try:
        slow.wait_for("started")
        waiting = quick.start("state", "rm", "-lock-timeout=60s", "terraform_data.a")
        wait_until_deferred(waiting)
        time.sleep(0.2)
        began = time.monotonic()
        waiting.send_signal(how)
        text, _ = waiting.communicate(timeout=30)
        s3.expect(waiting.returncode, 130, f"the exit code of the command that waits:\n{text}")
        s3.expect(time.monotonic() - began < 5, True, "the command ends immediately")
        applying.send_signal(how)
        time.sleep(0.2)
        (slow.directory / "go").touch()
        text, _ = applying.communicate(timeout=60)
    finally:
        (slow.directory / "go").touch()
        for process in filter(None, (applying, waiting)):
            process.kill()
    s3.expect(applying.returncode, 130, f"the exit code of the apply:\n{text}")
    s3.expect("force-unlock" in text, False, f"a lock is left:\n{text}")
    s3.expect(instance(quick.pull(), "slow")["attributes"]["id"] != "", True, "the operation that was running is saved")
    quick.run("state", "rm", "terraform_data.a")


def interrupted_interchange(directory, server):
    """a signal ends the wait for a lock of Terraform's table in pg; an apply completes its operation and releases the lock"""
    interrupted(directory, "interrupted-table", pg(server, "interrupted_table"), signal.SIGINT)


def interrupted_native(directory, server):
    """a signal ends the wait for a lock of native tables of pg; an apply completes its operation and releases the lock"""
    interrupted(directory, "interrupted-native", pg(server, "interrupted"), signal.SIGTERM, IACCTL_PG_MODE="native")


def interrupted_s3(directory, server):
    """a signal ends the wait for a lock in a bucket; an apply completes its operation and releases the lock"""
    interrupted(directory, "interrupted-s3", bucket(server, "interrupted"), signal.SIGINT)


def repaired_native(directory, server):
    """a row of native tables that another program removes is noticed by all commands, and comes back from the history"""
    work = Workspace(directory / "repaired", 'resource "terraform_data" "a" { input = 1 }\n'
                     'resource "terraform_data" "b" { input = terraform_data.a.id }\n', IACCTL_PG_MODE="native")
    work.choose(pg(server, "repaired"))
    work.run("init", "-input=false")
    work.run("apply", "-auto-approve")
    work.run("state", "repair", code=1)
    before = work.pull()
    server.sql("DELETE FROM repaired.resource WHERE address = 'terraform_data.a'")
    for command in (["plan"], ["apply", "-auto-approve"], ["state", "verify"], ["state", "list"]):
        s3.contains(work.run(*command, code=4), "state_records_missing")
    choices = " ".join(work.run("state", "repair").split())
    s3.contains(choices, "rows contains 1 resource instance")
    s3.contains(choices, "loses terraform_data.a backup is not possible")
    s3.contains(choices, "replay contains 2 resource instances")
    s3.contains(choices, "has no known losses")
    kept = next(word for word in work.run("state", "repair", "-salvage", "replay").split() if "/replaced-" in word)
    s3.expect(len(json.loads((work.directory / kept.rstrip(".")).read_text())["resource"]), 1, "the rows that were replaced")
    s3.expect(work.pull(), dict(before, serial=before["serial"] + 1), "the state")
    s3.contains(work.run("state", "verify"), "passed")
    s3.contains(work.run("plan"), "No changes")
    s3.contains(work.run("state", "history"), "state repair")


def one_mode_only(directory, server):
    """a workspace of pg has its state in one mode: the other mode, and Terraform, refuse it until it was moved, in both directions"""
    resources = 'resource "terraform_data" "a" {\n  input = 1\n}\n'
    work = Workspace(directory / "modes", resources)
    other = Workspace(directory / "other", resources)
    for one in (work, other):
        one.choose(pg(server, "modes"))
    row = "SELECT data FROM modes.states WHERE name = 'default'"

    def refuse(one, code):
        for command in (["plan"], ["apply", "-auto-approve"], ["destroy", "-auto-approve"], ["state", "list"], ["state", "pull"]):
            s3.contains(one.run(*command, code=1), f"[{code}]")

    work.run("init", "-input=false", "-backend-config=mode=native")
    work.run("apply", "-auto-approve")
    state = work.pull()
    other.run("init", "-input=false")
    refuse(other, "state_in_native_mode")
    if terraform := shutil.which("terraform"):
        foreign = Workspace(directory / "terraform", resources, TF_CLI_CONFIG_FILE="/dev/null")
        foreign.choose(pg(server, "modes"))
        for command in ("init", "plan", "apply"):
            text = foreign.run(command, "-input=false", "-no-color", code=1, program=terraform)
            s3.contains(" ".join(text.split()), "iacctl stores this workspace in tables of its own")

    work.run("init", "-input=false", "-migrate-state", "-force-copy", "-backend-config=mode=interchange")
    s3.expect(work.pull(), state, "the state as a document")
    s3.expect(json.loads(server.sql(row))["lineage"], state["lineage"], "its row")
    s3.contains(other.run("plan"), "No changes")
    native = Workspace(directory / "native", resources, IACCTL_PG_MODE="native")
    native.choose(pg(server, "modes"))
    native.run("init", "-input=false")
    refuse(native, "state_in_interchange_mode")
    if terraform:
        foreign.run("init", "-input=false", program=terraform)
        s3.contains(foreign.run("plan", "-input=false", program=terraform), "No changes")

    work.run("init", "-input=false", "-migrate-state", "-force-copy", "-backend-config=mode=native")
    s3.expect(work.pull(), state, "the state in the native mode")
    refuse(other, "state_in_native_mode")
    s3.contains(native.run("plan"), "No changes")
    s3.expect(server.sql("SELECT count(*) FROM modes.states WHERE name LIKE 'default.replaced-%'"), "1", "the document has another name")
    work.run("destroy", "-auto-approve")
    work.run("workspace", "new", "second")
    work.run("apply", "-auto-approve")
    s3.contains(other.run("workspace", "new", "second", code=1), "[state_in_native_mode]")
    # The guard of a state that an earlier version wrote in the native mode is missing.
    server.sql("DELETE FROM modes.states WHERE name = 'second'")
    s3.contains(other.run("workspace", "new", "second", code=1), "[state_in_native_mode]")
    work.run("destroy", "-auto-approve")
    work.run("workspace", "select", "default")
    work.run("workspace", "delete", "second")
    s3.expect(server.sql("SELECT count(*) FROM modes.states WHERE name = 'second'"), "0", "the guard of a deleted workspace")


class OpenTofu:
    """The encryption of states of OpenTofu in another implementation: PBKDF2 of Python and AES-GCM of
    python3-cryptography."""

    def __init__(self, passphrase, cipher):
        self.passphrase, self.cipher = passphrase.encode(), cipher

    def key(self, of):
        return hashlib.pbkdf2_hmac(of["hash_function"], self.passphrase, base64.b64decode(of["salt"]), of["iterations"],
                                   of["key_length"])

    def open(self, document):
        of = json.loads(base64.b64decode(document["meta"]["key_provider.pbkdf2.p"]))
        data = base64.b64decode(document["encrypted_data"])
        return json.loads(self.cipher(self.key(of)).decrypt(data[:12], data[12:], None))

    def seal(self, state):
        of = {"salt": base64.b64encode(os.urandom(32)).decode(), "iterations": 200000, "hash_function": "sha512",
              "key_length": 32}
        nonce = os.urandom(12)
        data = nonce + self.cipher(self.key(of)).encrypt(nonce, json.dumps(state).encode(), None)
        return {"serial": state["serial"], "lineage": state["lineage"],
                "meta": {"key_provider.pbkdf2.p": base64.b64encode(json.dumps(of).encode()).decode()},
                "encrypted_data": base64.b64encode(data).decode(), "encryption_version": "v0"}


def opentofu_in_s3(directory, server, cipher):
    """a state in s3 that OpenTofu has encrypted is read and written, in its form; without the key nothing is changed"""
    passphrase = "correct horse battery staple"
    tofu = OpenTofu(passphrase, cipher)
    recorded = json.loads((HERE.parent / "encryption" / "opentofu_1_9_state.json").read_text())
    stored = lambda: json.loads(server.send("GET", "/states/tofu"))
    put = lambda document: server.send("PUT", "/states/tofu", json.dumps(document).encode())
    encryption = """
  encryption {
    key_provider "pbkdf2" "p" {
      passphrase = "%s"
      iterations = 200000
    }
    method "aes_gcm" "m" { keys = key_provider.pbkdf2.p }
    state { method = method.aes_gcm.m }
  }
"""
    put(recorded)
    work = Workspace(directory / "tofu", 'resource "terraform_data" "a" { input = "a secret of OpenTofu" }\n'
                     'output "o" { value = terraform_data.a.output }\n')
    for settings, code, message in (("", 1, "encryption_not_configured"),
                                    (encryption % "another passphrase", 4, "decryption_failed")):
        work.choose(bucket(server, "tofu"), settings)
        work.run("init", "-input=false", "-reconfigure")
        s3.contains(work.run("apply", "-auto-approve", code=code), message)
        s3.expect(stored(), recorded, "the state without its key")
    work.choose(bucket(server, "tofu"), encryption % passphrase)
    s3.expect(work.pull()["resources"], tofu.open(recorded)["resources"], "resources")
    s3.contains(work.run("plan"), "No changes")

    work.run("taint", "terraform_data.a")
    state = tofu.open(stored())
    s3.expect(state, work.pull(), "the state that another implementation decrypts")
    s3.expect([stored()[name] for name in ("serial", "lineage")], [state["serial"], recorded["lineage"]], "in clear")
    s3.expect(instance(state, "a")["status"], "tainted")

    del instance(state, "a")["status"]
    put(tofu.seal(dict(state, serial=state["serial"] + 1)))
    s3.contains(work.run("plan"), "No changes")
    put({"version": 4, "serial": 9, "lineage": "x", "outputs": {}, "resources": []})
    s3.contains(work.run("plan", code=1), "data_not_encrypted")


TESTS = [(moves, ["postgresql", "moto", "http"]), (moves_encrypted, ["postgresql", "moto"]),
         (fenced_native, ["postgresql"]), (fenced_interchange, ["postgresql"]), (fenced_http, ["http"]),
         (fenced_s3, ["moto"]), (interrupted_interchange, ["postgresql"]), (interrupted_native, ["postgresql"]),
         (interrupted_s3, ["moto"]), (repaired_native, ["postgresql"]), (one_mode_only, ["postgresql"]),
         (opentofu_in_s3, ["moto", "cryptography"])]


def main():
    print(f"1..{len(TESTS)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="iacctl-remote-") as name:
        root = pathlib.Path(name)
        root.chmod(0o755)
        servers = Servers(root)
        with servers.stack:
            for number, (test, needs) in enumerate(TESTS, 1):
                found = [servers.find(one) for one in needs]
                absent = next((servers.reasons.get(one) or f"needs {one}" for one, there in zip(needs, found) if not there),
                              None)
                tap.report(number, test.__doc__, absent, lambda test=test, found=found: test(root, *found))


if __name__ == "__main__":
    main()
