#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs several operators, as processes of iacctl, on one workspace. TAP; skipped without a server.

    operators.py IACCTL local|pg
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from postgres_server import PostgresServer

IACCTL = os.path.abspath(sys.argv[1])
BACKEND = sys.argv[2]
CONFIGURATION = """
terraform {
  backend "%s" {%s}
}
resource "terraform_data" "base" { input = 1 }
resource "terraform_data" "left" {
  count = 2
  input = terraform_data.base.output
  provisioner "local-exec" { command = "touch started.left${count.index}; while [ ! -e go ]; do sleep 0.02; done" }
}
resource "terraform_data" "right" {
  count = 2
  input = terraform_data.base.output
}
variable "more" { default = 2 }
resource "terraform_data" "many" { count = var.more }
resource "terraform_data" "number" { input = length(terraform_data.many) }
resource "time_sleep" "ann" {
  count           = 12
  create_duration = "150ms"
}
resource "time_sleep" "bob" {
  count           = 12
  create_duration = "150ms"
}
"""


class Operator:
    """The directory of one operator, with the configuration."""

    def __init__(self, root, name, server, workspace):
        self.directory = root / workspace / name
        self.directory.mkdir(parents=True)
        arguments = "" if server else ' path = "../shared" '
        (self.directory / "main.tf").write_text(CONFIGURATION % (BACKEND, arguments))
        self.environment = dict(os.environ)
        if server:
            self.environment |= {"IACCTL_PG_MODE": "native", "PG_SCHEMA_NAME": workspace,
                                 "PG_CONN_STR": server.url}
        self.run("init", "-input=false")

    def start(self, *arguments):
        return subprocess.Popen([IACCTL, *arguments], cwd=self.directory, env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, *arguments, code=0):
        process = self.start(*arguments)
        text, _ = process.communicate(timeout=60)
        assert process.returncode == code, f"{arguments}: exit {process.returncode}, not {code}:\n{text}"
        return text

    def wait_for(self, file):
        until = time.monotonic() + 30
        while not (self.directory / file).exists():
            assert time.monotonic() < until, f"{file} did not appear"
            time.sleep(0.02)

    def release(self):
        (self.directory / "go").touch()

    def begin_left(self):
        process = self.start("apply", "-auto-approve", "-target=terraform_data.left")
        self.wait_for("started.left0")
        self.wait_for("started.left1")
        return process

    def addresses(self):
        return self.run("state", "list").split()


ALL = ["terraform_data.base", "terraform_data.left[0]", "terraform_data.left[1]", "terraform_data.right[0]",
       "terraform_data.right[1]"]


def disjoint_parts_are_applied_at_the_same_time(ann, bob):
    applying = ann.begin_left()
    bob.run("plan", "-target=terraform_data.right")
    bob.run("apply", "-auto-approve", "-target=terraform_data.right")
    assert applying.poll() is None, "the first apply has ended too early"
    ann.release()
    assert applying.communicate(timeout=60) and applying.returncode == 0
    assert ann.addresses() == ALL, ann.addresses()
    assert "No changes" in bob.run("plan", "-target=terraform_data.left", "-target=terraform_data.right")


def an_overlap_is_refused_with_holder_and_addresses(ann, bob):
    applying = ann.begin_left()
    refused = bob.run("apply", "-auto-approve", "-replace=terraform_data.base", "-target=terraform_data.base", code=3)
    assert "- terraform_data.base" in refused, refused
    assert ("OperationTypeApply" if BACKEND == "pg" else f"Process:   {applying.pid} (alive)") in refused, refused
    bob.run("plan", code=3)
    bob.run("apply", "-auto-approve", "-target=terraform_data.left", code=3)
    warned = bob.run("plan", "-lock=false")
    holder = "OperationTypeApply" if BACKEND == "pg" else f"apply, process {applying.pid} of "
    assert "Operations are under way" in warned and holder in " ".join(warned.replace("│", " ").split()), warned
    whole = bob.run("state", "rm", "terraform_data.base", code=3)
    assert "Error acquiring the state lock" in whole, whole
    ann.release()
    applying.communicate(timeout=60)
    bob.run("plan", "-lock-timeout=10s")


def saved_plans_of_disjoint_parts_are_both_applied(ann, bob):
    ann.release()
    ann.run("plan", "-out=p", "-target=terraform_data.left")
    bob.run("plan", "-out=p", "-target=terraform_data.right")
    bob.run("apply", "p")
    ann.run("apply", "p")
    assert ann.addresses() == ALL, ann.addresses()


def a_saved_plan_is_stale_by_the_addresses_that_changed(ann, bob):
    bob.release()
    bob.run("plan", "-out=p", "-target=terraform_data.left")
    ann.run("apply", "-auto-approve", "-replace=terraform_data.base", "-target=terraform_data.base")
    stale = bob.run("apply", "p", code=6)
    assert "- terraform_data.base" in stale and "terraform_data.left" not in stale, stale
    assert bob.addresses() == ["terraform_data.base"]


def an_instance_that_another_command_adds_makes_plans_of_its_resource_stale(ann, bob):
    ann.run("apply", "-auto-approve", "-target=terraform_data.many")
    ann.run("plan", "-out=p", "-target=terraform_data.number")
    bob.run("apply", "-auto-approve", "-target=terraform_data.many", "-var=more=3")
    stale = ann.run("apply", "p", code=6)
    assert "- terraform_data.many\n" in stale, stale
    assert "terraform_data.number" not in ann.addresses()


def disjoint_halves_are_applied_at_the_same_time(ann, bob):
    """Each operator has 12 sleeps, one at a time. The first one of each ends before the last one of the other begins."""
    def start(who):
        return who.start("apply", "-json", "-auto-approve", "-parallelism=1", f"-target=time_sleep.{who.directory.name}")

    def times(process):
        text, _ = process.communicate(timeout=60)
        assert process.returncode == 0, text
        events = [json.loads(line) for line in text.splitlines()]
        begun, ended = (sorted(e["@timestamp"] for e in events if e["type"] == kind) for kind in ("apply_start", "apply_complete"))
        assert len(begun) == len(ended) == 12, text
        return ended[0], begun[-1]

    applying = [start(ann), start(bob)]
    (first_of_ann, last_of_ann), (first_of_bob, last_of_bob) = (times(process) for process in applying)
    assert first_of_ann < last_of_bob and first_of_bob < last_of_ann, "one after the other"


def a_killed_holder_frees_its_locks(ann, bob):
    applying = ann.begin_left()
    applying.send_signal(signal.SIGKILL)
    applying.communicate(timeout=60)
    ann.release()  # the commands of provisioners outlive their program
    bob.release()
    targets = ["-target=terraform_data.left", "-target=terraform_data.right", "-lock-timeout=10s"]
    text = bob.run("plan", "-detailed-exitcode", *targets, code=2)
    assert "terraform_data.left" in text, text
    bob.run("apply", "-auto-approve", *targets)
    assert bob.addresses() == ALL, bob.addresses()


def a_suspended_holder_whose_lock_was_released_cannot_write(ann, bob):
    applying = ann.begin_left()
    applying.send_signal(signal.SIGSTOP)
    bob.run("force-unlock", "-force", "1", code=1)
    refused = bob.run("plan", code=3)
    identity = refused.split("force-unlock ")[1].split(".")[0].strip()
    bob.run("force-unlock", "-force", identity)
    bob.release()
    bob.run("apply", "-auto-approve", "-target=terraform_data.left")
    before = bob.run("state", "pull")
    ann.release()
    applying.send_signal(signal.SIGCONT)
    text, _ = applying.communicate(timeout=60)
    assert applying.returncode != 0 and "released with force-unlock" in " ".join(text.split()), text
    assert bob.run("state", "pull") == before


def a_rescue_copy_does_not_replace_later_states(ann, bob):
    applying = ann.begin_left()
    identity = bob.run("plan", code=3).split("force-unlock ")[1].split(".")[0].strip()
    bob.run("force-unlock", "-force", identity)
    bob.run("state", "rm", "terraform_data.base")
    ann.release()
    text, _ = applying.communicate(timeout=60)
    assert applying.returncode != 0, text
    copy = text.split("iacctl state push ")[1].split()[0]
    ann.run("state", "push", copy, code=1)
    assert "terraform_data.base" not in ann.addresses()


TESTS = [disjoint_parts_are_applied_at_the_same_time, an_overlap_is_refused_with_holder_and_addresses,
         saved_plans_of_disjoint_parts_are_both_applied, a_saved_plan_is_stale_by_the_addresses_that_changed,
         an_instance_that_another_command_adds_makes_plans_of_its_resource_stale, disjoint_halves_are_applied_at_the_same_time,
         a_killed_holder_frees_its_locks]
# Local locks end with their process, and no other process can release them.
if BACKEND == "pg":
    TESTS += [a_suspended_holder_whose_lock_was_released_cannot_write, a_rescue_copy_does_not_replace_later_states]


def main():
    print(f"1..{len(TESTS)}", flush=True)
    if BACKEND == "pg" and not PostgresServer.is_installed():
        for number, test in enumerate(TESTS, 1):
            print(f"ok {number} - {test.__name__} # SKIP (needs postgresql)")
        return
    with tempfile.TemporaryDirectory(prefix="iacctl-operators-") as name:
        root = pathlib.Path(name)
        os.chmod(root, 0o755)
        (root / "server").mkdir()
        server = PostgresServer(root / "server") if BACKEND == "pg" else None
        try:
            for number, test in enumerate(TESTS, 1):
                ann, bob = (Operator(root, who, server, f"s{number}") for who in ("ann", "bob"))
                try:
                    ann.run("apply", "-auto-approve", "-target=terraform_data.base")
                    test(ann, bob)
                    print(f"ok {number} - {test.__name__}", flush=True)
                except (AssertionError, subprocess.TimeoutExpired, IndexError) as error:
                    print(f"not ok {number} - {test.__name__}")
                    print("".join(f"# {line}\n" for line in str(error).splitlines()), end="", flush=True)
                finally:
                    ann.release()
                    bob.release()
        finally:
            if server:
                server.stop()


if __name__ == "__main__":
    main()
