#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests providers that are killed, hang or fail, and programs that are killed, with the fake provider. TAP.

    killed.py IACCTL FAKE_PROVIDER [all]

`all`: the provider is killed at every call of an apply, not only at every fourth.
"""
import collections
import re
import signal
import sys

from place import ACTION, HEADER, TWENTY, Place, read, run_all, wait_for

EVERY = 1 if "all" in sys.argv[3:] else 4


def killed_providers_lose_nothing():
    """Every call that a killed provider received is an object in state or a pending operation; the next runs settle them"""
    with Place(TWENTY) as place:
        for call in range(1, 21, EVERY):
            record = place.root / "record"
            record.unlink(missing_ok=True)
            place.run("apply", "-auto-approve", "-parallelism=3",
                modes=f"record={record} crash=ApplyResourceChange:{call}", code=1)
            calls = collections.Counter(record.read_text().split())["ApplyResourceChange"]
            objects = len(place.objects())
            report = place.run("plan", code=7)
            pending = sorted(set(re.findall(r"operation on (\S+) was", " ".join(report.split()))))
            # A call that was not sent before the crash is pending, too, because the program cannot know that it was not
            # sent.
            assert objects + len(pending) >= calls == call, (call, calls, objects, pending)
            assert pending and len(pending) <= 3, pending
            for address in pending:
                place.run("state", "resolve", "-not-created", address)
            place.run("apply", "-auto-approve")
            assert len(place.objects()) == 20
            place.run("destroy", "-auto-approve")
        assert not place.providers()


def interrupts_stop_a_provider_that_hangs():
    """The first interrupt asks the provider to stop, the second one gives up; the operation is pending, no process stays"""
    with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
        record = place.root / "record"
        process = place.start("apply", "-auto-approve", modes=f"record={record} hang=ApplyResourceChange")
        wait_for(lambda: record.exists() and "ApplyResourceChange" in record.read_text())
        process.send_signal(signal.SIGINT)
        wait_for(lambda: "StopProvider" in record.read_text())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode != 0
        wait_for(lambda: not place.providers())
        place.run("plan", code=7)


def every_status_of_a_call_leaves_its_operation_pending():
    """Whatever status of gRPC a provider answers, it may have acted on the call"""
    for status in range(1, 17):
        with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
            output = place.run("apply", "-auto-approve", modes=f"refuse=ApplyResourceChange status={status}", code=1)
            assert "[plugin_call_failed]" in output and "[operation_interrupted]" in output, output
            assert place.run("state", "resolve").startswith("fake_simple.a: create (operation "), status
            place.run("plan", code=7)
    with Place(ACTION) as place:
        output = place.run("apply", "-auto-approve", modes="refuse=InvokeAction status=8", code=1)
        assert "[action_interrupted]" in output, output
        assert "action.fake_notify.n: invoke" in place.run("state", "resolve")
        assert "[undecided_action]" in place.run("plan", code=7)


def nothing_remains_of_a_killed_program():
    """After kill -9, its providers end, also during their start, and their sockets are removed"""
    for modes in ("hang=ApplyResourceChange", "silent", "stubborn hang=ApplyResourceChange"):
        with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
            temporary = place.root / "tmp"
            temporary.mkdir()
            record = place.root / "record"
            process = place.start("apply", "-auto-approve", modes=f"{modes} record={record}", TMPDIR=str(temporary))
            wait_for(lambda: place.providers() and list(temporary.iterdir()) and (modes == "silent" or "Apply" in read(record)))
            process.kill()
            process.communicate(timeout=30)
            wait_for(lambda: not place.providers())
            wait_for(lambda: not list(temporary.iterdir()))
    with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
        temporary = place.root / "tmp"
        temporary.mkdir()
        place.start("apply", "-auto-approve", TMPDIR=str(temporary)).communicate(timeout=60)
        assert not list(temporary.iterdir()) and not place.providers()


TESTS = [killed_providers_lose_nothing, interrupts_stop_a_provider_that_hangs,
    every_status_of_a_call_leaves_its_operation_pending, nothing_remains_of_a_killed_program]

if __name__ == "__main__":
    sys.exit(run_all(TESTS))
