# SPDX-License-Identifier: BSL-1.0
"""Connections to servers of state that break before or after a message was forwarded, or on which messages are late or missing."""
import pathlib
import random
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import iacctl_runs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "iacctl"))
from postgres_server import PostgresServer  # noqa: E402

FAULTS = ["drop before", "drop after", "half of the reply", "delay", "silence"]
SILENCE = 3  # seconds until a silent connection is closed
LOCK_HELD = 3


class Proxy:
    """Forwards connections to a server. The fault meets the message of a client with the number `at`, from 1.

    connect: returns a socket that is connected with the server
    """

    def __init__(self, connect):
        self.connect = connect
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.guard = threading.Lock()
        self.arm(0, None)
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, at, fault):
        with self.guard:
            self.at, self.fault, self.messages = at, fault, 0

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def next_fault(self):
        with self.guard:
            self.messages += 1
            return self.fault if self.messages == self.at else None

    def serve(self, client):
        try:
            server = self.connect()
        except OSError:
            client.close()
            return
        with client, server:
            try:
                self.forward(client, server)
            except OSError:
                pass

    def forward(self, client, server):
        fault = None
        while True:
            for ready in select.select([client, server], [], [])[0]:
                data = ready.recv(1 << 16)
                if not data:
                    return
                if ready is server:
                    if fault == "drop after":
                        return
                    if fault == "half of the reply":
                        client.sendall(data[:len(data) // 2])
                        return
                    client.sendall(data)
                    continue
                fault = self.next_fault()
                if fault == "drop before":
                    return
                if fault == "silence":
                    time.sleep(SILENCE)
                    return
                if fault == "delay":
                    time.sleep(1)
                server.sendall(data)

    def close(self):
        self.listener.close()


class HttpServer:
    """`iacctl state serve`"""

    name = "http"

    def __init__(self, binary, directory):
        self.process = subprocess.Popen([binary, "state", "serve", "-listen=127.0.0.1:0", f"-directory={directory / 'states'}"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port))

    def backend(self, port, number):
        url = f"http://127.0.0.1:{port}/states/s{number}"
        return (f'terraform {{\n  backend "http" {{\n    address = "{url}"\n    lock_address = "{url}"\n    unlock_address = "{url}"\n'
                '    retry_wait_min = 0\n    retry_wait_max = 1\n  }\n}\n')

    def stop(self):
        self.process.terminate()
        self.process.wait()


class PgServer(PostgresServer):
    """PostgreSQL as a server of states."""

    mode = "interchange"

    def __init__(self, _, directory):
        super().__init__(tempfile.mkdtemp(prefix="iacctl-durability-pg-"))

    @property
    def name(self):
        return f"pg {self.mode}"

    def connect(self):
        made = socket.socket(socket.AF_UNIX)
        made.connect(f"{self.directory}/.s.PGSQL.5432")
        return made

    def backend(self, port, number):
        mode = f'    mode = "{self.mode}"\n' if self.mode != "interchange" else ""
        return (f'terraform {{\n  backend "pg" {{\n    conn_str = "postgres://strider@127.0.0.1:{port}/postgres?sslmode=disable"\n'
                f'    schema_name = "s{number}"\n{mode}  }}\n}}\n')

    def stop(self):
        super().stop()
        shutil.rmtree(self.directory, ignore_errors=True)


class NativePgServer(PgServer):
    mode = "native"


def release(trial, text):
    """Releases a lock whose holder has lost its connection, as the message states."""
    found = re.search(r"force-unlock (?:-force )?([\w-]+)", text) or re.search(r"ID: +([\w-]+)", text)
    if found:
        trial.run("force-unlock", "-force", found[1])


def recover(trial):
    """The next command publishes the content of the spool; a remaining lock is released."""
    for _ in range(3):
        done = trial.run("plan", "-no-color", "-var=round=2", "-lock-timeout=2s")
        if done.returncode == LOCK_HELD:
            release(trial, done.stdout)
        elif done.returncode == 0:
            return
    raise iacctl_runs.Lost(f"state cannot be used again: exit {done.returncode}: {done.stdout[-900:]}")


def faults_of(server, binary, options, tally, place, chance):
    proxy = Proxy(server.connect)
    number = 0
    try:
        def made():
            nonlocal number
            number += 1
            proxy.arm(0, None)
            trial = iacctl_runs.Workspace(binary, place / f"trial{number}",
                                          server.backend(proxy.port, f"{number}") + iacctl_runs.CONFIGURATION)
            trial.must("init", "-no-color")
            trial.must("apply", "-auto-approve", "-no-color")
            return trial

        probe = made()
        proxy.arm(0, None)
        if probe.apply().returncode != 0:
            raise RuntimeError("the apply fails without a fault")
        messages = proxy.messages
        points = [(at, fault) for at in range(1, messages + 1) for fault in FAULTS]
        chance.shuffle(points)
        # Silence and delays take seconds each.
        points = [one for one in points if one[1] not in ("silence", "delay")] + \
                 [one for one in points if one[1] in ("silence", "delay")][:12]
        for at, fault in iacctl_runs.in_slice(points, options):
            with tally.point(f"{server.name}, message {at} of {messages}: {fault}"):
                trial = made()
                proxy.arm(at, fault)
                done = trial.apply()
                proxy.arm(0, None)
                if done.returncode == 0 and "Error:" in done.stdout:
                    raise iacctl_runs.Lost("an error, and exit 0")
                recover(trial)
                trial.check(iacctl_runs.reported_objects(done.stdout))
            shutil.rmtree(place / f"trial{number}", ignore_errors=True)
    finally:
        proxy.close()


def try_all(binary, options):
    tally = iacctl_runs.Tally()
    chance = random.Random(options.seed)
    kinds = [HttpServer]
    if PgServer.is_installed():
        kinds += [PgServer, NativePgServer]
    else:
        print("# pg is skipped: PostgreSQL is not installed")
    for kind in kinds:
        with iacctl_runs.place() as place:
            server = kind(binary, place)
            try:
                faults_of(server, binary, options, tally, place, chance)
            finally:
                server.stop()
    return tally
