#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests `iacctl state serve` as a process: with Python's HTTP client, with kills at any moment, and with the terraform
program. TAP.

    run.py IACCTL
"""
import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))  # also for scripts of other folders
from state_server import Server as StateServer  # noqa: E402

IACCTL = os.path.abspath(sys.argv[1])
ENVIRONMENT = dict(os.environ, TF_CLI_CONFIG_FILE=os.devnull, CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1")


class Server(StateServer):
    def __init__(self, directory, *options):
        super().__init__(IACCTL, directory, *options)


def state(serial, lineage="L", **more):
    return json.dumps({"version": 4, "serial": serial, "lineage": lineage, **more})


def lock(name):
    return json.dumps({"ID": name, "Operation": "OperationTypeApply", "Who": "someone@somewhere"})


def expect(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, not {wanted!r}")


def protocol(directory):
    """Python's HTTP client keeps a state, locks it, and is refused with a wrong password"""
    users = directory / "users"
    subprocess.run([IACCTL, "state", "serve", f"-users={users}", "-add-user=ann"], input="secret\n", text=True, check=True)
    server = Server(directory / "states", f"-users={users}")
    try:
        login = {"Authorization": "Basic " + base64.b64encode(b"ann:secret").decode()}
        expect(server.send("GET", "/states/a")[0], 401)
        expect(server.send("GET", "/states/a", None, login)[0], 404)
        expect(server.send("LOCK", "/states/a", lock("one"), login)[0], 200)
        expect(server.send("LOCK", "/states/a", lock("two"), login), (423, lock("one")))
        expect(server.send("POST", "/states/a?ID=one", state(1), login)[0], 200)
        expect(server.send("POST", "/states/a", state(2), login)[0], 423)
        expect(server.send("GET", "/states/a", None, login), (200, state(1)))
        expect(server.send("UNLOCK", "/states/a", lock("one"), login)[0], 200)
        expect("secret" in server.send("GET", "/console/api/workspaces", None, login)[1], False)
    finally:
        code, log = server.stop()
    expect(code, 0, "SIGTERM")
    expect("secret" in log, False, "the log")


def flooded(directory):
    """a flood of wrong passwords from one address does not refuse the right ones from another"""
    users = directory / "users"
    subprocess.run([IACCTL, "state", "serve", f"-users={users}", "-add-user=ann"], input="secret\n", text=True, check=True)
    server = Server(directory / "states", f"-users={users}")

    def ask(login, source):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60, source_address=(source, 0))
        try:
            authorization = "Basic " + base64.b64encode(login.encode()).decode()
            connection.request("GET", "/states/a", None, {"Authorization": authorization})
            return connection.getresponse().status
        finally:
            connection.close()

    try:
        with concurrent.futures.ThreadPoolExecutor(120) as clients:
            flood = [clients.submit(ask, f"ann:wrong {number}", "127.0.0.1") for number in range(120)]
            while not any(one.done() and one.result() == 503 for one in flood):
                time.sleep(0.001)
            expect(ask("ann:secret", "127.0.0.2"), 404, "the other address")
            expect({one.result() for one in flood}, {401, 503}, "the flood")
    finally:
        server.stop()


def killed(directory):
    """nothing that was acknowledged is lost when the server is killed at any moment"""
    seed = random.randrange(2**32)
    print(f"# seed {seed}")
    chance = random.Random(seed)
    server = Server(directory / "states")
    acknowledged, locked, rounds = {}, {}, 12
    try:
        for number in range(rounds):
            with concurrent.futures.ThreadPoolExecutor(4) as clients:
                def work(name, stop_at):
                    while time.monotonic() < stop_at:
                        serial = acknowledged.get(name, (0, ""))[0] + 1
                        text = state(serial, name, round=number, padding="x" * 5000)
                        try:
                            held = locked.get(name)
                            if held is None and serial % 3 == 0:
                                status, _ = server.send("LOCK", f"/states/{name}", lock(f"{name}-{serial}"))
                                expect(status, 200, "LOCK")
                                held = locked[name] = f"{name}-{serial}"
                            query = f"?ID={held}" if held else ""
                            status, _ = server.send("POST", f"/states/{name}{query}", text)
                            if status == 409 and acknowledged.get(name + "?") == serial:
                                # The write was performed, and its reply was lost with an earlier server.
                                status, there = server.send("GET", f"/states/{name}")
                                acknowledged[name] = (serial, there)
                                continue
                            expect(status, 200, "POST")
                            acknowledged[name] = (serial, text)
                        except (ConnectionError, http.client.HTTPException, OSError):
                            acknowledged[name + "?"] = serial  # may have been done
                            return
                until = time.monotonic() + 5
                running = [clients.submit(work, name, until) for name in ("a", "b", "c", "d")]
                time.sleep(chance.uniform(0.01, 0.3))
                server.stop(signal.SIGKILL)
                for one in running:
                    one.result()
            server.start()
            for name, held in locked.items():
                status, body = server.send("LOCK", f"/states/{name}", lock("thief"))
                expect((status, json.loads(body)["ID"]), (423, held), "the lock after a restart")
            for name in ("a", "b", "c", "d"):
                status, text = server.send("GET", f"/states/{name}")
                serial, known = acknowledged.get(name, (0, ""))
                if status == 404:
                    expect(serial, 0, "an acknowledged state")
                    continue
                there = json.loads(text)["serial"]
                if there == serial:
                    expect(text, known, "the state")
                else:
                    expect((there, acknowledged.get(name + "?")), (serial + 1, serial + 1), "the serial")
                    acknowledged[name] = (there, text)
    finally:
        server.stop(signal.SIGKILL)
    writes = sum(serial for name, (serial, _) in ((n, v) for n, v in acknowledged.items() if not n.endswith("?")))
    print(f"# {rounds} kills, {writes} writes")
    expect(writes > rounds, True, "writes between the kills")


def stopped(directory):
    """a request that is under way when the server is stopped is answered"""
    server = Server(directory / "states")
    text = state(1, padding="x" * 100_000)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest("POST", "/states/a")
    connection.putheader("Content-Length", str(len(text)))
    connection.endheaders()
    connection.send(text[:50_000].encode())
    time.sleep(0.2)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    connection.send(text[50_000:].encode())
    got = connection.getresponse()
    got.read()
    expect(got.status, 200)
    connection.close()
    expect(server.process.wait(20), 0)
    server.log.result()
    server.start()
    try:
        expect(server.send("GET", "/states/a"), (200, text))
    finally:
        server.stop()


@contextlib.contextmanager
def terraform_directory(directory, server, wait="0s"):
    where = directory / "configuration"
    where.mkdir(parents=True)
    address = f"http://127.0.0.1:{server.port}/states/team"
    (where / "main.tf").write_text(f"""
terraform {{
  backend "http" {{
    address        = "{address}"
    lock_address   = "{address}"
    unlock_address = "{address}"
    username       = "ann"
    password       = "secret"
  }}
}}
resource "terraform_data" "a" {{
  input = "first"
  provisioner "local-exec" {{ command = "sleep {wait}" }}
}}
""")
    yield where


def run(where, *arguments, program="terraform"):
    return subprocess.run([program, *arguments], cwd=where, env=ENVIRONMENT, text=True, capture_output=True, timeout=120)


def succeed(where, *arguments, program="terraform"):
    done = run(where, *arguments, program=program)
    if done.returncode != 0:
        raise AssertionError(f"{program} {arguments}: {done.stdout}{done.stderr}")
    return done.stdout


def terraform(directory):
    """terraform applies, is refused while another process has the lock, and destroys"""
    users = directory / "users"
    subprocess.run([IACCTL, "state", "serve", f"-users={users}", "-add-user=ann"], input="secret\n", text=True, check=True)
    login = {"Authorization": "Basic " + base64.b64encode(b"ann:secret").decode()}
    server = Server(directory / "states", f"-users={users}")
    try:
        with terraform_directory(directory, server, "2") as where:
            succeed(where, "init", "-input=false")
            applying = subprocess.Popen(["terraform", "apply", "-auto-approve", "-input=false"], cwd=where, env=ENVIRONMENT,
                                        stdout=subprocess.DEVNULL)
            limit = time.monotonic() + 20
            while '"operation":"apply"' not in server.send("GET", "/console/api/workspaces", None, login)[1]:
                expect(time.monotonic() < limit, True, "the lock of terraform")
                time.sleep(0.01)
            refused = run(where, "plan", "-input=false")
            expect(refused.returncode, 1, "plan while another applies")
            expect("already locked" in refused.stderr, True, refused.stderr)
            expect(applying.wait(60), 0, "apply")
            expect("No changes" in succeed(where, "plan", "-input=false"), True, "plan after apply")
            server.send("LOCK", "/states/team", lock("left-behind"), login)
            code, _ = server.stop(signal.SIGKILL)
            server.start()
            expect(run(where, "apply", "-auto-approve").returncode, 1, "apply while a lock is left behind")
            succeed(where, "force-unlock", "-force", "left-behind")
            succeed(where, "destroy", "-auto-approve")
            status, text = server.send("GET", "/states/team", None, login)
            expect((status, json.loads(text)["resources"]), (200, []))
            expect(len(json.loads(server.send("GET", "/history/team", None, login)[1])["revisions"]) >= 2, True)
    finally:
        server.stop()


def shared(directory):
    """iacctl and terraform share a state on the server, and wait for the locks of each other"""
    users = directory / "users"
    subprocess.run([IACCTL, "state", "serve", f"-users={users}", "-add-user=ann"], input="secret\n", text=True, check=True)
    server = Server(directory / "states", f"-users={users}")
    login = {"Authorization": "Basic " + base64.b64encode(b"ann:secret").decode()}
    try:
        with terraform_directory(directory / "ours", server) as ours, terraform_directory(directory / "theirs", server) as theirs:
            succeed(ours, "init", "-input=false", program=IACCTL)
            succeed(theirs, "init", "-input=false")
            succeed(ours, "apply", "-auto-approve", program=IACCTL)
            expect("No changes" in succeed(theirs, "plan"), True, "plan of terraform")
            succeed(theirs, "apply", "-auto-approve", "-replace=terraform_data.a")
            expect("No changes" in succeed(ours, "plan", program=IACCTL), True, "plan of iacctl")
            server.send("LOCK", "/states/team", lock("somebody"), login)
            for program in ("terraform", IACCTL):
                refused = run(ours if program == IACCTL else theirs, "apply", "-auto-approve", program=program)
                expect("acquiring the state lock" in refused.stderr, True, refused.stderr)
            expect("someone@somewhere" in run(ours, "apply", "-auto-approve", program=IACCTL).stderr, True, "the holder")
            succeed(ours, "force-unlock", "-force", "somebody", program=IACCTL)
            succeed(ours, "destroy", "-auto-approve", program=IACCTL)
            expect(json.loads(server.send("GET", "/states/team", None, login)[1])["resources"], [])
    finally:
        server.stop()


def configured(directory, server, name):
    address = f"http://127.0.0.1:{server.port}/states/{name}"
    directory.mkdir()
    (directory / "main.tf").write_text(f"""
terraform {{
  backend "http" {{
    address        = "{address}"
    lock_address   = "{address}"
    unlock_address = "{address}"
  }}
}}
variable "count_of" {{ default = 1 }}
resource "terraform_data" "a" {{ count = var.count_of }}
""")
    succeed(directory, "init", "-input=false", program=IACCTL)
    return directory


def fails(where, code, word, *arguments):
    done = run(where, *arguments, program=IACCTL)
    if done.returncode != code or word not in done.stderr:
        raise AssertionError(f"{arguments}: exit {done.returncode}, not {code}, or no {word}: {done.stdout}{done.stderr}")


def locked_first(directory):
    """a plan of a state that does not exist yet is refused while another process has the lock"""
    server = Server(directory / "states")
    try:
        where = configured(directory / "ours", server, "new")
        server.send("LOCK", "/states/new", lock("first"))
        fails(where, 3, "someone@somewhere", "plan")
        succeed(where, "plan", "-lock=false", program=IACCTL)
        server.send("UNLOCK", "/states/new", lock("first"))
        succeed(where, "plan", program=IACCTL)
        expect(server.send("LOCK", "/states/new", lock("second"))[0], 200, "the plan has released its lock")
    finally:
        server.stop()


def gone_back(directory):
    """a server that has lost the state is refused until the user decides, and a forced push replaces the state"""
    server = Server(directory / "states")
    try:
        where = configured(directory / "ours", server, "team")
        succeed(where, "apply", "-auto-approve", program=IACCTL)
        succeed(where, "apply", "-auto-approve", "-var=count_of=2", program=IACCTL)
        copy = succeed(where, "state", "pull", program=IACCTL)
        (where / "copy.tfstate").write_text(copy)
        server.send("DELETE", "/states/team")
        for command in (["plan"], ["apply", "-auto-approve"], ["state", "pull"], ["output"]):
            fails(where, 4, "remote_state_missing", *command)
        expect(server.send("GET", "/states/team")[0], 404)
        expect("2 resource instances" in succeed(where, "state", "repair", program=IACCTL), True, "the sources")
        succeed(where, "state", "repair", "-salvage", "mirror", program=IACCTL)
        succeed(where, "plan", "-detailed-exitcode", "-var=count_of=2", program=IACCTL)
        server.send("DELETE", "/states/team")
        succeed(where, "state", "push", "-force", "copy.tfstate", program=IACCTL)
        succeed(where, "plan", "-detailed-exitcode", "-var=count_of=2", program=IACCTL)
        server.send("DELETE", "/states/team")
        succeed(where, "state", "repair", "-salvage", "server", program=IACCTL)
        expect("1 to add" in succeed(where, "plan", program=IACCTL), True, "the plan of a deleted state")
    finally:
        server.stop()


TESTS = [(protocol, None), (flooded, None), (killed, None), (stopped, None), (locked_first, None), (gone_back, None), (terraform, "terraform"), (shared, "terraform")]


def main():
    print(f"1..{len(TESTS)}")
    for number, (test, tool) in enumerate(TESTS, 1):
        if tool and shutil.which(tool) is None:
            print(f"ok {number} - {test.__doc__} # SKIP needs {tool}")
            continue
        with tempfile.TemporaryDirectory(prefix="iacctl-serve-") as directory:
            try:
                test(pathlib.Path(directory))
                print(f"ok {number} - {test.__doc__}")
            except Exception as failed:  # a failure of one test is reported, and the next one runs
                print(f"# {type(failed).__name__}: " + str(failed).replace("\n", "\n# "))
                print(f"not ok {number} - {test.__doc__}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
