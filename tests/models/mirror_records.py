#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Short records of two machines on one state: those that a right program can make are runs of mirror.pml, and the others are not.
TAP; skipped without spin.
"""
import sys

import replay
import spin
from replay import BEGIN, END, FORBIDDEN, GET, LOCK_REMAINS, LOST, OVERTAKEN, PUT

# Each machine has published a document: the first one 101, the second one 201.
PUBLISHED = [(BEGIN, 0, 0), (GET, 0, 0), (PUT, 0, 101), (END, 0, 0), (BEGIN, 1, 0), (GET, 1, 101), (PUT, 1, 201), (END, 1, 0)]
READ = [(BEGIN, 0, 0), (GET, 0, 201)]
OTHER_WRITES = [(BEGIN, 1, 0), (GET, 1, 201), (PUT, 1, 202), (END, 1, 0)]  # after the lock of the first machine was broken
SUCCESS, FAILURE = (END, 0, 0), (END, 0, 1)
# A command that reads a document of the other machine and succeeds without a write has no changes that are not published.
NO_CHANGES = [(BEGIN, 0, 0), (GET, 0, 202), SUCCESS]
FORBIDDEN_WRITE = [*READ, *OTHER_WRITES, (PUT, 0, 102 + FORBIDDEN)]
OVERTAKEN_WRITE = [*READ, *OTHER_WRITES, (PUT, 0, 102 + OVERTAKEN), (GET, 0, 202)]
LOST_WRITE = [*READ, (PUT, 0, 102 + LOST)]

# On a server with versions, S3, or with locks, HTTP: whether the events are a run.
CASES = [
    ("HTTP", True, "after a forbidden write, the end of the command rescues the changes, and the next one has none",
     [*FORBIDDEN_WRITE, (GET, 0, 202), FAILURE, *NO_CHANGES]),
    ("S3", True, "after a write that was overtaken, the end of the command rescues the changes, and the next one has none",
     [*OVERTAKEN_WRITE, (GET, 0, 202), FAILURE, *NO_CHANGES]),
    ("HTTP", True, "a command that cannot read after a forbidden write leaves the rescue to the next one",
     [*FORBIDDEN_WRITE, FAILURE, (BEGIN, 0, 0), (GET, 0, 202), FAILURE, *NO_CHANGES]),
    ("HTTP", True, "after a rescue, a command changes the document of the other machine",
     [*FORBIDDEN_WRITE, (GET, 0, 202), FAILURE, (BEGIN, 0, 0), (GET, 0, 202), (PUT, 0, 103), SUCCESS]),
    ("HTTP", True, "a forbidden write was performed before, without a reply",
     [*LOST_WRITE, (PUT, 0, 102 + FORBIDDEN), (GET, 0, 102), SUCCESS]),
    ("S3", True, "a write that is refused was performed before, without a reply",
     [*LOST_WRITE, (PUT, 0, 102 + OVERTAKEN), (GET, 0, 102), SUCCESS]),
    ("S3", True, "a write is sent again with the new version after an earlier one without a reply",
     [*LOST_WRITE, (PUT, 0, 103 + OVERTAKEN), (GET, 0, 102), (PUT, 0, 103), SUCCESS]),
    ("HTTP", True, "a write follows one without a reply", [*LOST_WRITE, (PUT, 0, 103), SUCCESS]),
    ("S3", True, "a command finds its own write without a reply", [*LOST_WRITE, FAILURE, (BEGIN, 0, 0), (GET, 0, 102), SUCCESS]),
    ("S3", True, "a command fails after its write because its lock remains", [*READ, (PUT, 0, 102), (END, 0, LOCK_REMAINS)]),
    ("HTTP", False, "a command succeeds although the other machine has overtaken it", [*FORBIDDEN_WRITE, (GET, 0, 202), SUCCESS]),
    ("HTTP", False, "changes that were not published are forgotten without a rescue", [*FORBIDDEN_WRITE, FAILURE, *NO_CHANGES]),
    ("HTTP", False, "changes that were not published are forgotten after a lost write",
     [*LOST_WRITE, FAILURE, (BEGIN, 0, 0), (GET, 0, 102), (PUT, 0, 103 + FORBIDDEN), (GET, 0, 102), FAILURE, (BEGIN, 0, 0), (GET, 0, 102),
      SUCCESS]),
    ("HTTP", False, "a document of the other machine is replaced without a read", [*READ, *OTHER_WRITES, (PUT, 0, 102)]),
    ("S3", False, "a document of the other machine is replaced after a refusal", [*OVERTAKEN_WRITE, (PUT, 0, 102)]),
    ("S3", False, "a write without the new version follows one without a reply", [*LOST_WRITE, (PUT, 0, 103)]),
    ("S3", False, "a write follows a refusal, and the document is not read again", [*LOST_WRITE, (PUT, 0, 103 + OVERTAKEN), (PUT, 0, 103)]),
    ("S3", False, "an older document of the same machine is written again",
     [*READ, (PUT, 0, 102), SUCCESS, (BEGIN, 0, 0), (GET, 0, 102), (PUT, 0, 101)]),
    ("S3", False, "a read has an older document", [(BEGIN, 0, 0), (GET, 0, 101)]),
]


def is_accepted(variant, events):
    return replay.accepts("mirror", [variant], PUBLISHED + events)


def main():
    failed = False
    print(f"1..{len(CASES)}")
    for number, (variant, is_run, title, events) in enumerate(CASES, 1):
        if not spin.is_installed():
            print(f"ok {number} - {title} # SKIP needs spin")
            continue
        # Only the last event of a record that is no run is wrong.
        is_right = is_accepted(variant, events) if is_run else is_accepted(variant, events[:-1]) and not is_accepted(variant, events)
        failed = failed or not is_right
        print(f"{'ok' if is_right else 'not ok'} {number} - {title}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
