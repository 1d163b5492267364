# SPDX-License-Identifier: BSL-1.0
"""Two servers of states under load for a long time: `iacctl state serve` with clients over HTTP, and PostgreSQL with ten operators.

Connections are cut, replies are lost or late, and commands are killed. The server must need no more memory and no more file
descriptors at the end than at the beginning, every acknowledged document must be there, and every object must be accounted for.
"""
import collections
import concurrent.futures
import http.client
import json
import pathlib
import random
import re
import statistics
import subprocess
import threading
import time
import uuid

import iacctl_runs
import network

OPERATORS = 10
CLIENTS = 8
MEMORY_GROWTH = 8 * 1024  # KiB
DESCRIPTOR_GROWTH = 8
CREATED_AND_DESTROYED = """
resource "terraform_data" "%s" {
  count            = 3
  triggers_replace = [var.round]
  provisioner "local-exec" {
    command = "echo created ${self.id} >> ../../effects"
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo destroyed ${self.id} >> ../../effects"
  }
}
"""
NAMES = [f"of_{number}" for number in range(OPERATORS)]
CONFIGURATION = 'variable "round" { default = "0" }\n' + "".join(CREATED_AND_DESTROYED % name for name in NAMES)


class FaultyProxy(network.Proxy):
    """A part of all messages meets a fault, from a seed."""

    def __init__(self, connect, seed, rate):
        super().__init__(connect)
        self.random, self.rate, self.faults = random.Random(seed), rate, 0

    def next_fault(self):
        with self.guard:
            if self.random.random() >= self.rate:
                return None
            self.faults += 1
            return self.random.choice(["drop before", "drop after", "half of the reply", "delay"])


class Operator:
    """Applies and destroys its own part of one state again and again, until the time is over. Many of its commands are killed."""

    def __init__(self, binary, root, number, backend, seed):
        self.name, self.random = NAMES[number], random.Random(seed * 100 + number)
        self.trial = iacctl_runs.Workspace(binary, root / self.name, backend + CONFIGURATION)
        self.counts = collections.Counter()
        for _ in range(20):
            if self.trial.run("init", "-no-color", "-input=false").returncode == 0:
                return
        raise iacctl_runs.Lost("init fails 20 times")

    def command(self):
        target, round_ = f"-target=terraform_data.{self.name}", f"-var=round={self.random.randrange(1000)}"
        changes = ["-auto-approve", "-no-color", "-lock-timeout=20s", target, round_]
        return self.random.choice([["apply", *changes]] * 6 + [["destroy", *changes]] * 2 + [["plan", "-no-color", target], ["state", "pull"]])

    def run(self, until):
        while time.monotonic() < until:
            command = self.command()
            process = subprocess.Popen([self.trial.binary, *command], cwd=self.trial.directory, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.counts["commands"] += 1
            if self.random.random() < 0.3:
                time.sleep(self.random.uniform(0, 1))
                if process.poll() is None:
                    process.kill()
                    self.counts["kills"] += 1
            try:
                text, _ = process.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                process.kill()
                raise iacctl_runs.Hang(" ".join(command)) from None
            self.follow_advice(process.returncode, text)

    def follow_advice(self, code, text, of=None):
        """Does what a message advises after a command that did not succeed. of: the parts to decide about, its own by default"""
        if code == network.LOCK_HELD:
            self.counts["locks found"] += 1
            network.release(self.trial, text) if self.random.random() < 0.2 else time.sleep(0.2)
        elif code == iacctl_runs.UNDECIDED:
            self.counts["undecided"] += 1
            self.decide(of or [self.name])

    def decide(self, of):
        """Records the result of each interrupted operation of some parts, from their effects. Breaks locks in the way."""
        destroyed = {line.split()[1] for line in effects(self.trial) if line.startswith("destroyed")}
        state = self.trial.run("state", "pull")
        if state.returncode != 0:
            return
        ids = {(one["name"], each.get("index_key")): each["attributes"]["id"] for one in json.loads(state.stdout)["resources"]
               for each in one["instances"] if "deposed" not in each}
        listed = self.trial.run("state", "resolve").stdout
        for name, index in re.findall(r"^terraform_data\.(\w+)\[(\d+)\]: destroy", listed, re.MULTILINE):
            if name in of:
                done = ids.get((name, int(index))) in destroyed
                answer = self.trial.run("state", "resolve", f"terraform_data.{name}[{index}]", "-done" if done else "-not-done")
                if answer.returncode == network.LOCK_HELD:
                    network.release(self.trial, answer.stdout)


def effects(trial):
    file = trial.root.parent / "effects"
    return file.read_text().splitlines() if file.exists() else []


def soak_operators(binary, seconds, seed):
    """\\return counts; \\throws Lost if an object is not accounted for"""
    with iacctl_runs.place() as place:
        server = network.NativePgServer(binary, place)
        proxy = FaultyProxy(server.connect, seed, 0.001)
        try:
            backend = server.backend(proxy.port, 1)
            operators = [Operator(binary, place, number, backend, seed) for number in range(OPERATORS)]
            with concurrent.futures.ThreadPoolExecutor(OPERATORS) as pool:
                for one in [pool.submit(each.run, time.monotonic() + seconds) for each in operators]:
                    one.result()
            proxy.rate = 0
            return account(operators) | {"faults": proxy.faults}
        finally:
            proxy.close()
            server.stop()


def account(operators):
    """Destroys everything, and compares what was created with what was destroyed or is in a rescue copy."""
    rescued = ""
    for one in operators:
        for copy in sorted(one.trial.directory.glob(".iacctl/**/spool/*.tfstate")):
            rescued += copy.read_text()
    for one in operators:
        for _ in range(20):
            done = one.trial.run("destroy", "-auto-approve", "-no-color", f"-target=terraform_data.{one.name}", "-lock-timeout=20s")
            if done.returncode == 0:
                break
            one.follow_advice(done.returncode, done.stdout, NAMES)
        else:
            raise iacctl_runs.Lost(f"a part cannot be destroyed: exit {done.returncode}: {done.stdout[-900:]}")
    left = operators[0].trial.must("state", "list").split()
    if left:
        raise iacctl_runs.Different(f"after all destroys, state has {left}")
    lines = [line.split() for line in effects(operators[0].trial)]
    created = {identifier for what, identifier in lines if what == "created"}
    destroyed = {identifier for what, identifier in lines if what == "destroyed"}
    lost = [identifier for identifier in sorted(created - destroyed) if identifier not in rescued]
    if lost:
        raise iacctl_runs.Lost(f"created, and neither destroyed nor in a rescue copy: {lost}")
    total = collections.Counter()
    for one in operators:
        total.update(one.counts)
    return total | {"created": len(created), "in rescue copies": len(created - destroyed)}


class Client:
    """Locks, writes, reads and unlocks its state again and again."""

    def __init__(self, port, number, seed):
        self.port, self.path, self.random = port, f"/states/soak-{number}", random.Random(seed * 1000 + number)
        self.serial, self.acknowledged, self.requests = 0, None, 0
        self.lineage = str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def request(self, method, query="", body=None):
        """\\return the status and the text; None if the connection broke"""
        self.requests += 1
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, self.path + query, body=body)
            reply = connection.getresponse()
            # A reply that ends in its headers seems to have an empty body.
            return (reply.status, reply.read().decode()) if reply.getheader("Content-Length") else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def until(self, accepted, *arguments, **options):
        """Repeats a request until its reply arrives."""
        for _ in range(50):
            reply = self.request(*arguments, **options)
            if reply and reply[0] in accepted:
                return reply
        raise iacctl_runs.Lost(f"{arguments[0]} {self.path}: {reply}")

    def run(self, until):
        while time.monotonic() < until:
            lock = json.dumps({"ID": str(uuid.UUID(int=self.random.getrandbits(128), version=4)), "Operation": "OperationTypeApply", "Who": "soak"})
            self.until([200], "LOCK", body=lock)
            self.serial += 1
            content = "x" * self.random.randrange(1, 20000)
            document = json.dumps({"version": 4, "terraform_version": "1.11.4", "serial": self.serial, "lineage": self.lineage,
                                   "outputs": {"o": {"value": content, "type": "string"}}, "resources": []})
            self.until([200], "POST", f"?ID={json.loads(lock)['ID']}", body=document)
            _, text = self.until([200], "GET")
            if text != document:
                raise iacctl_runs.Lost(f"{self.path}: serial {self.serial} was acknowledged, the server has {text[:200]}")
            self.until([200], "UNLOCK", body=lock)


def usage_of(pid):
    """Resident memory in KiB and the number of open file descriptors."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]), len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def soak_server(binary, seconds, seed):
    with iacctl_runs.place() as place:
        server = network.HttpServer(binary, place)
        proxy = FaultyProxy(server.connect, seed, 0.02)
        samples, stop = [], threading.Event()

        def watch():
            while not stop.wait(max(0.05, seconds / 1000)):
                samples.append(usage_of(server.process.pid))

        try:
            watching = threading.Thread(target=watch)
            watching.start()
            clients = [Client(proxy.port, number, seed) for number in range(CLIENTS)]
            try:
                with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
                    for one in [pool.submit(each.run, time.monotonic() + seconds) for each in clients]:
                        one.result()
            finally:
                stop.set()
                watching.join()
        finally:
            proxy.close()
            server.stop()
    # The first tenth of the time fills caches.
    part = max(1, len(samples) // 10)
    first, last = samples[part:2 * part] or samples[:part], samples[-part:]
    before, after = ([statistics.median(column) for column in zip(*rows)] for rows in (first, last))
    if after[0] - before[0] > MEMORY_GROWTH:
        raise iacctl_runs.Different(f"memory grew from {before[0]:.0f} to {after[0]:.0f} KiB")
    if after[1] - before[1] > DESCRIPTOR_GROWTH:
        raise iacctl_runs.Different(f"file descriptors grew from {before[1]:.0f} to {after[1]:.0f}")
    return {"requests": sum(one.requests for one in clients), "writes": sum(one.serial for one in clients), "faults": proxy.faults,
            "memory, KiB": f"{before[0]:.0f} to {after[0]:.0f}", "file descriptors": f"{before[1]:.0f} to {after[1]:.0f}"}
