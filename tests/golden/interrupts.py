#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Interrupts commands while they hold a lock on a server. TAP.

    interrupts.py IACCTL [NAME...]     runs the tests of these names, or all
"""
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import time

import tap
from http_state_server import Server

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
SOON = 30  # seconds
OBJECTS = 'resource "terraform_data" "a" {}\nresource "terraform_data" "b" {}\n'
PUSHED = {"version": 4, "serial": 90, "lineage": "other", "outputs": {}, "resources": []}
SHORT_COMMANDS = [
    ["state", "push", "-force", "pushed.tfstate"],
    ["state", "mv", "terraform_data.a", "terraform_data.c"],
    ["state", "rm", "terraform_data.a"],
    ["state", "replace-provider", "-auto-approve", "terraform.io/builtin/terraform", "acme/terraform"],
    ["taint", "terraform_data.a"],
    ["import", "terraform_data.b", "x"],
    ["refresh"],
    ["plan"],
    ["apply", "-auto-approve"],
]


def environment(**more):
    kept = {key: text for key, text in os.environ.items() if not key.startswith("TF_")}
    return kept | {"TF_CLI_CONFIG_FILE": os.devnull} | more


def iacctl(directory, *arguments, code=0):
    done = subprocess.run([BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=SOON, env=environment())
    assert done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def started(directory, *arguments, stdin=subprocess.DEVNULL):
    return subprocess.Popen([BINARY, *arguments], cwd=directory, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env=environment())


def prepare(directory, server):
    """A state with the object a on the server."""
    (directory / "main.tf").write_text(server.block() + OBJECTS)
    (directory / "pushed.tfstate").write_text(json.dumps(PUSHED))
    iacctl(directory, "init", "-reconfigure")
    iacctl(directory, "apply", "-auto-approve", "-target=terraform_data.a")


def wait_for(process, server, requests):
    """Waits until the last requests to the server are these."""
    deadline = time.monotonic() + SOON
    while [line.split()[0] for line in server.log()[-len(requests):]] != requests:
        assert time.monotonic() < deadline and process.poll() is None, (server.log(), process.communicate())
        time.sleep(0.01)


def interrupted(process, how, server=None, *, code=130):
    """Ends a command; a server that holds its request answers after the command has received the signal."""
    process.send_signal(how)
    printed = ""
    if server is not None:
        for line in process.stdout:
            printed += line
            if "Interrupt received" in line:
                break
        server.release()
    printed += process.stdout.read()
    process.wait(timeout=SOON)
    assert process.returncode == code, f"{process.args}: exit {process.returncode}, not {code}\n{printed}"
    return printed


def an_interrupt_before_a_change_releases_the_lock_and_changes_nothing(directory):
    with Server() as server:
        prepare(directory, server)
        before = server.document("/state")
        for number, command in enumerate(SHORT_COMMANDS):
            server.hold("GET")
            process = started(directory, *command)
            wait_for(process, server, ["LOCK", "GET"])
            printed = interrupted(process, signal.SIGINT if number % 2 == 0 else signal.SIGTERM, server)
            assert server.log()[-1].startswith("UNLOCK"), (command, server.log()[-4:], printed)
            assert "Interrupt received" in printed, (command, printed)
            assert server.document("/state") == before, (command, printed)


def an_interrupt_while_the_lock_is_taken_releases_it(directory):
    with Server() as server:
        prepare(directory, server)
        before = server.document("/state")
        server.hold("LOCK")
        process = started(directory, "state", "rm", "terraform_data.a")
        wait_for(process, server, ["LOCK"])
        printed = interrupted(process, signal.SIGTERM, server)
        assert "command_interrupted" in printed, printed
        assert server.log()[-1].startswith("UNLOCK") and server.document("/state") == before, server.log()[-4:]


def an_interrupt_while_another_holds_the_lock_ends_the_wait(directory):
    with Server() as server:
        prepare(directory, server)
        server.send("LOCK", "/state", {"ID": "theirs", "Who": "somebody"})
        process = started(directory, "state", "rm", "-lock-timeout=60s", "terraform_data.a")
        wait_for(process, server, ["LOCK"])
        time.sleep(0.2)
        began = time.monotonic()
        interrupted(process, signal.SIGINT)
        assert time.monotonic() - began < 2
        assert server.log()[-1].startswith("LOCK"), server.log()[-4:]


def a_running_change_is_completed(directory):
    with Server() as server:
        prepare(directory, server)
        server.hold("POST")
        process = started(directory, "state", "rm", "terraform_data.a")
        wait_for(process, server, ["POST"])
        printed = interrupted(process, signal.SIGINT, server, code=0)
        assert "Removed terraform_data.a" in printed, printed
        assert server.log()[-1].startswith("UNLOCK"), server.log()[-4:]
        assert json.loads(server.document("/state"))["resources"] == []


def an_interrupt_after_all_changes_have_started_leaves_no_change(directory):
    (directory / "main.tf").write_text(
        'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n'
        '    command = "trap \'\' INT; touch started; until test -e go; do sleep 0.02; done"\n  }\n}\n'
        'output "id" {\n  value = terraform_data.a.id\n}\n')
    process = started(directory, "apply", "-auto-approve", "-no-color")
    deadline = time.monotonic() + SOON
    while not (directory / "started").exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    printed = ""
    for line in process.stdout:
        printed += line
        if "Interrupt received" in line:
            (directory / "go").touch()
    assert process.wait(timeout=SOON) == 130, printed
    told = " ".join(printed.split())
    assert "[interrupted_at_end]" in told and "execution_halted" not in told, printed
    assert "after all changes had started, and all of them have ended. Output values may still be the old ones." in told, printed
    assert "id" not in json.loads(iacctl(directory, "output", "-json"))
    assert "Changes to Outputs" in iacctl(directory, "plan", "-no-color")
    iacctl(directory, "apply", "-auto-approve")
    assert "id" in json.loads(iacctl(directory, "output", "-json"))


def the_second_interrupt_ends_the_command_and_names_the_lock(directory):
    with Server() as server:
        prepare(directory, server)
        server.hold("GET")
        process = started(directory, "taint", "terraform_data.a")
        wait_for(process, server, ["LOCK", "GET"])
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        began = time.monotonic()
        printed = interrupted(process, signal.SIGINT)
        assert time.monotonic() - began < 0.5
        server.release()
        release = re.search(r"iacctl (force-unlock [-0-9a-f]{36})", printed)
        assert release and "lock_left" in printed, printed
        assert "remote_state_locked" in iacctl(directory, "taint", "terraform_data.a", code=3)
        iacctl(directory, *release.group(1).split())
        iacctl(directory, "taint", "terraform_data.a")


def an_interrupt_ends_a_question(directory):
    with Server() as server:
        prepare(directory, server)
        secret = OBJECTS + 'variable "secret" {\n  sensitive = true\n}\n'
        questions = [
            (OBJECTS, ["apply"], "Enter a value"),
            (OBJECTS, ["state", "replace-provider", "terraform.io/builtin/terraform", "acme/terraform"], "Enter a value"),
            (secret, ["plan"], "var.secret"),
            (OBJECTS, ["console"], ">"),
        ]
        before = server.document("/state")
        for configuration, command, question in questions:
            (directory / "main.tf").write_text(server.block("/state") + configuration)
            terminal, side = pty.openpty()
            process = subprocess.Popen([BINARY, *command], cwd=directory, stdin=side, stdout=side, stderr=side,
                                       env=environment(), start_new_session=True)
            os.close(side)
            shown = b""
            while question.encode() not in shown:
                shown += os.read(terminal, 65536)
            process.send_signal(signal.SIGINT)
            try:
                while part := os.read(terminal, 65536):
                    shown += part
            except OSError:
                pass  # the other end is closed
            assert process.wait(SOON) == 130, (command, shown.decode())
            os.close(terminal)
            assert server.log()[-1].startswith("UNLOCK"), (command, server.log()[-4:], shown.decode())
            assert server.document("/state") == before, command


def main():
    tests = [an_interrupt_before_a_change_releases_the_lock_and_changes_nothing, an_interrupt_while_the_lock_is_taken_releases_it,
             an_interrupt_while_another_holds_the_lock_ends_the_wait, a_running_change_is_completed,
             the_second_interrupt_ends_the_command_and_names_the_lock, an_interrupt_ends_a_question,
             an_interrupt_after_all_changes_have_started_leaves_no_change]
    wanted = sys.argv[2:]
    return tap.run([test for test in tests if not wanted or test.__name__ in wanted])


if __name__ == "__main__":
    sys.exit(main())
