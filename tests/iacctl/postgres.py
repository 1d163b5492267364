#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Operators that work on one workspace in a PostgreSQL database, as processes of iacctl. TAP; skipped without a server.

    postgres.py IACCTL
"""
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

IACCTL = os.path.abspath(sys.argv[1])
CONFIGURATION = """
terraform {
  backend "pg" {}
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
"""


class Server:
    """A server of this test on a Unix socket; fsync and synchronous_commit are on."""

    def __init__(self, directory):
        self.directory = directory
        self.programs = os.path.dirname(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1])
        self.as_user = []
        if os.geteuid() == 0:  # the server refuses root
            self.as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            shutil.chown(directory, "nobody")
        os.chmod(directory, 0o755)
        self.run("initdb", "-D", f"{directory}/data", "-A", "trust", "-U", "strider", "--no-sync")
        self.run("pg_ctl", "-D", f"{directory}/data", "-w", "-l", f"{directory}/log", "-o",
                 f"-c listen_addresses='' -c unix_socket_directories={directory}", "start")

    def run(self, program, *arguments):
        subprocess.run([*self.as_user, f"{self.programs}/{program}", *arguments], check=True, cwd=self.directory,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.directory}/data", "-m", "immediate", "stop")


class Operator:
    """A directory with the configuration, from which one person works."""

    def __init__(self, root, name, server, schema):
        self.directory = root / schema / name
        self.directory.mkdir(parents=True)
        (self.directory / "main.tf").write_text(CONFIGURATION)
        self.environment = dict(os.environ, IACCTL_PG_MODE="native", PG_SCHEMA_NAME=schema,
                                PG_CONN_STR=f"postgres://strider@/postgres?host={server.directory}&sslmode=disable")
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
    assert "No changes" in bob.run("plan")


def an_overlap_is_refused_with_holder_and_addresses(ann, bob):
    applying = ann.begin_left()
    refused = bob.run("apply", "-auto-approve", "-replace=terraform_data.base", "-target=terraform_data.base", code=3)
    assert "- terraform_data.base" in refused and "OperationTypeApply" in refused, refused
    bob.run("plan", code=3)
    bob.run("plan", "-lock=false")
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


def a_killed_holder_frees_its_locks(ann, bob):
    applying = ann.begin_left()
    applying.send_signal(signal.SIGKILL)
    applying.communicate(timeout=60)
    bob.release()
    text = bob.run("plan", "-lock-timeout=10s", "-detailed-exitcode", code=2)
    assert "terraform_data.left" in text, text
    bob.run("apply", "-auto-approve", "-lock-timeout=10s")
    assert bob.addresses() == ALL, bob.addresses()


def a_stopped_holder_whose_lock_was_released_writes_no_more(ann, bob):
    applying = ann.begin_left()
    applying.send_signal(signal.SIGSTOP)
    bob.run("force-unlock", "-force", "1", code=1)
    refused = bob.run("plan", code=3)
    identity = refused.split("force-unlock ")[1].split(".")[0].strip()
    bob.run("force-unlock", "-force", identity)
    bob.release()
    bob.run("apply", "-auto-approve")
    before = bob.run("state", "pull")
    ann.release()
    applying.send_signal(signal.SIGCONT)
    text, _ = applying.communicate(timeout=60)
    assert applying.returncode != 0 and "released with force-unlock" in text, text
    assert bob.run("state", "pull") == before


def a_rescue_copy_replaces_nothing_that_others_have_saved(ann, bob):
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
         a_killed_holder_frees_its_locks, a_stopped_holder_whose_lock_was_released_writes_no_more,
         a_rescue_copy_replaces_nothing_that_others_have_saved]


def main():
    print(f"1..{len(TESTS)}", flush=True)
    if not glob.glob("/usr/lib/postgresql/*/bin/initdb"):
        for number, test in enumerate(TESTS, 1):
            print(f"ok {number} - {test.__name__} # SKIP (needs postgresql)")
        return
    with tempfile.TemporaryDirectory(prefix="iacctl-pg-") as name:
        root = pathlib.Path(name)
        os.chmod(root, 0o755)
        (root / "server").mkdir()
        server = Server(str(root / "server"))
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
            server.stop()


if __name__ == "__main__":
    main()
