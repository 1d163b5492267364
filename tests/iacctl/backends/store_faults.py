#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Two operators apply at the same time on one state, while its server is slow, fails, loses requests and replies, and while a
third one breaks their locks. No update of a state is lost: what an operator was told is saved is in the state, and what was
created is in the state or in a rescue copy. The same test for all servers. What a server has seen is then replayed in the models of
../../models: it is a run of them. TAP.

    store_faults.py IACCTL CACHE [azurerm|gcs|http|pg|s3]...

The faults are random; the seed is printed, and taken from SEED. Servers are those of places.py.
"""
import collections
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

CHOSEN = sys.argv[3:]
sys.argv[3:] = []
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
import places  # noqa: E402
import replay  # noqa: E402
import spin  # noqa: E402

IACCTL, CACHE = places.IACCTL, pathlib.Path(sys.argv[2])
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
ROUNDS = 2
PHASES = {"delays": {"delay": 0.5}, "errors": {"refused": 0.15, "failed": 0.15}, "cut connections": {"cut": 0.15, "lost": 0.15},
          "broken locks": {"delay": 0.2, "refused": 0.05, "failed": 0.05, "cut": 0.05, "lost": 0.05}}
OPERATORS = ("ann", "bob")
# fake-gcs-server removes an object whatever its generation is, so what it has seen may be no run of the model.
MODELLED = ("azurerm", "http", "s3")
ITEMS = [f"{who}-{phase}-{turn}" for who in OPERATORS for phase in range(len(PHASES)) for turn in range(ROUNDS)]
RESOURCES = """
resource "terraform_data" "item" {
  for_each = toset(%s)
  input    = each.key
  provisioner "local-exec" { command = "echo ${each.key} ${self.id} >> created; sleep 0.%%d" }
}
resource "terraform_data" "base" {}
""" % json.dumps(ITEMS)


class Faults:
    """What goes wrong with the next request: by chance, from one seed."""

    def __init__(self, seed):
        self.random, self.mutex, self.rates = random.Random(seed), threading.Lock(), {}

    def next(self, *_):
        with self.mutex:
            chance, length = self.random.random(), self.random.uniform(0.02, 0.3)
        for kind, rate in self.rates.items():
            if chance < rate:
                return length if kind == "delay" else kind
            chance -= rate
        return None


class DatabaseProxy:
    """A server in front of PostgreSQL that delays requests and cuts connections."""

    def __init__(self, path, faults):
        self.path, self.faults = path, faults
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.path)
            for source, to, has_faults in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.copy, args=(source, to, has_faults), daemon=True).start()

    def copy(self, source, to, has_faults):
        try:
            while piece := source.recv(65536):
                fault = self.faults.next() if has_faults else None
                if isinstance(fault, float):
                    time.sleep(fault)
                elif fault in ("cut", "lost") and self.faults.random.random() < 0.25:
                    if fault == "lost":  # the request arrives, and its reply does not
                        to.sendall(piece)
                    break
                to.sendall(piece)
        except OSError:
            pass
        for one in (source, to):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


class FaultyPlaces(places.Places):
    """The servers, whose requests have faults."""

    def __init__(self, root):
        super().__init__(root, CACHE)
        self.faults = Faults(SEED)
        self.clouds.fault = self.faults.next
        self.operators = collections.defaultdict(list)

    def start_http(self):
        server = self.servers.find("http")
        self.clouds.upstreams["states.example"] = (server.port, False)
        self.clouds.names["states.example"] = f"127.0.0.1:{server.port}"

    def http(self, key):
        return self.http_at(f"https://states.example/states/{key}")

    def start_pg(self):
        missing = super().start_pg()
        if missing is None:
            self.proxy = DatabaseProxy(self.servers.find("postgresql").directory + "/.s.PGSQL.5432", self.faults)
            self.clouds.stack.callback(self.proxy.close)
        return missing

    def database(self):
        return f"postgres://{self.servers.find('postgresql').user}@127.0.0.1:{self.proxy.port}/postgres?sslmode=disable"


class Operator:
    """The directory of one operator."""

    def __init__(self, at, kind, name, backend):
        self.places, self.directory = at, at.root / kind / name
        self.directory.mkdir(parents=True)
        (self.directory / "main.tf").write_text(f"terraform {{\n  {backend}\n}}\n" + RESOURCES % 3)
        self.saved, self.log = [], []
        self.number = len(at.operators[kind])
        at.operators[kind].append(self)
        self.run("init", "-input=false")

    def run(self, *arguments, codes=(0,)):
        witness = self.places.clouds.witness
        if witness:
            witness.begin(self.number, arguments)
        done = subprocess.run([IACCTL, *arguments], cwd=self.directory, env=self.places.clouds.environment(self.number), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200)
        if witness:
            witness.end(self.number, done.returncode)
        self.log.append(f"$ {' '.join(arguments)} -> {done.returncode}\n{done.stdout}")
        if codes and done.returncode not in codes:
            raise AssertionError(f"{self.directory.name}: {self.log[-1]}")
        return done.returncode, done.stdout

    def apply(self, target, timeout="60s", codes=()):
        return self.run("apply", "-auto-approve", "-input=false", f"-lock-timeout={timeout}", f"-target=terraform_data.{target}",
                        codes=codes)

    def work(self, phase):
        for turn in range(ROUNDS):
            item = f"{self.directory.name}-{phase}-{turn}"
            code, _ = self.apply(f'item["{item}"]')
            if code == 0:
                self.saved.append(item)

    def created(self):
        file = self.directory / "created"
        return dict(line.split() for line in file.read_text().splitlines()) if file.exists() else {}

    def rescued(self):
        """The items in rescue copies."""
        found = {}
        for copy in self.directory.glob(".iacctl/**/rescue-*.tfstate"):
            found |= items_of(json.loads(copy.read_text()))
        return found


def items_of(state):
    """The ids of items by their keys."""
    return {one["index_key"]: one["attributes"]["id"] for resource in state.get("resources", []) if resource["name"] == "item"
            for one in resource["instances"]}


def break_lock(operator):
    """Releases the lock that another operator holds, if there is one."""
    code, text = operator.apply("base", "0s")
    found = re.search(r"force-unlock ([0-9a-zA-Z-]+)", " ".join(text.replace("│", " ").split()))
    if code == 3 and found and found[1] != "LOCK_ID":
        return operator.run("force-unlock", "-force", found[1], codes=())[0] == 0
    return False


def run_phase(at, operators, third, phase, name):
    """Two operators work under the faults of a phase. Returns the number of broken locks."""
    at.faults.rates = PHASES[name]
    failures, broken = [], 0

    def work(operator):
        try:
            operator.work(phase)
        except Exception as failed:
            failures.append(failed)
    threads = [threading.Thread(target=work, args=(one,)) for one in operators]
    for one in threads:
        one.start()
    while name == "broken locks" and broken < 2 and any(one.is_alive() for one in threads):
        time.sleep(0.3)
        broken += break_lock(third)
    for one in threads:
        one.join()
    at.faults.rates = {}
    if failures:
        raise failures[0]
    # The next command of an operator sends what could not be sent.
    while break_lock(third):
        pass
    for one in operators:
        code, text = one.apply("base", codes=(0, 5))
        if code == 5:
            one.apply("base", codes=(0,))
    return broken


def no_update_is_lost(at, kind):
    if reason := at.reason(kind):
        return reason
    at.clouds.witness = replay.Witness(kind.upper(), "faults") if kind in MODELLED else None
    *operators, third = (Operator(at, kind, name, at.block(kind, "faults")) for name in (*OPERATORS, "cleo"))
    for phase, name in enumerate(PHASES):
        broken = run_phase(at, operators, third, phase, name)
        state = items_of(json.loads(third.run("state", "pull")[1]))
        for one in operators:
            rescued, created = one.rescued(), one.created()
            history = "\n".join(one.log)
            for item in one.saved:
                if state.get(item) != created[item]:
                    raise AssertionError(f"after {name}, {item} is lost, although its apply has succeeded:\n{history}")
            for item, identity in created.items():
                if identity not in (state.get(item), rescued.get(item)):
                    raise AssertionError(f"after {name}, {item} is neither in the state nor in a rescue copy:\n{history}")
        print(f"# {kind}, {name}: " + ", ".join(f"{one.directory.name} saved {len(one.saved)} and rescued {len(one.rescued())}"
                                               for one in operators) + (f", {broken} broken locks" if broken else ""), flush=True)
    return None


def the_trace_is_a_run_of_the_models(witness):
    """The requests that the server has seen are a run of the models; with a write that no program would have made they are not."""
    for model, events in (("object_writes", witness.events), ("mirror", witness.of_mirror())):
        refused = replay.refused_at(model, [witness.variant], events)
        if refused is not None:
            lines = [replay.text_of(event, number) for number, event in enumerate(events[:refused + 3])]
            raise AssertionError(f"{model} does not have the run: event {refused} is refused\n" + "\n".join(lines[-40:]))
        wrong = with_a_wrong_write(events)
        if replay.accepts(model, [witness.variant], wrong):
            raise AssertionError(f"{model} has a run in which a command writes what it has not read")
        print(f"# {model}: {len(events)} events", flush=True)


def with_a_wrong_write(events):
    """The trace in which a command writes although it has not read the document: the last read of a command that writes is missing."""
    kind, number = None, None
    for at, (action, who, what, *_) in enumerate(events):
        if action == replay.GET and what < replay.LOST:
            kind, number = who, at
        elif action == replay.PUT and who == kind and what < replay.OVERTAKEN:
            if what % replay.LOST not in (replay.REFUSED, replay.LOCK_LOST):
                return events[:number] + events[number + 1:]
    raise AssertionError("the trace has no write after a read")


def main():
    kinds = CHOSEN or ["azurerm", "gcs", "http", "pg", "s3"]
    print(f"1..{len(kinds) + sum(kind in MODELLED for kind in kinds)}\n# SEED={SEED}", flush=True)
    number, failed = 0, False

    def test(title, body):
        nonlocal number, failed
        number += 1
        try:
            reason = body()
            print(f"ok {number} - {title}" + (f" # SKIP {reason}" if reason else ""), flush=True)
        except Exception as why:  # a failure of one test is reported, and the next one runs
            failed = True
            print(f"# {type(why).__name__}: " + str(why).replace("\n", "\n# "))
            print(f"not ok {number} - {title}", flush=True)
            return "failed"
        return reason

    with tempfile.TemporaryDirectory(prefix="iacctl-faults-") as name:
        at = FaultyPlaces(pathlib.Path(name))
        try:
            for kind in kinds:
                reason = test(f"no update is lost with two operators on {kind}", lambda kind=kind: no_update_is_lost(at, kind))
                at.faults.rates = {}
                witness, at.clouds.witness = at.clouds.witness, None
                if kind in MODELLED:
                    without = reason or (None if spin.is_installed() else "needs spin")
                    test(f"what {kind} has seen is a run of the models",
                         lambda: without or the_trace_is_a_run_of_the_models(witness))
        finally:
            at.close()
    return failed


if __name__ == "__main__":
    sys.exit(main())
