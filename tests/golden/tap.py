# SPDX-License-Identifier: BSL-1.0
"""Runs test functions, each in a temporary directory of its own, and reports the results in TAP."""

import pathlib
import subprocess
import sys
import tempfile
import time


class Missing(Exception):
    """A test needs a tool that is not installed: Missing("terraform")."""


def run(tests):
    """Calls each test with its directory; returns the exit code."""
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as name:
            try:
                test(pathlib.Path(name))
                print(f"ok {number} - {test.__name__}")
            except Missing as tool:
                print(f"ok {number} - {test.__name__} # SKIP needs {tool}")
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"not ok {number} - {test.__name__}")
                for line in f"{type(error).__name__}: {error}".splitlines():
                    print(f"# {line}")
        sys.stdout.flush()
    return 1 if failed else 0


def report(number, title, missing, work):
    """Calls a test unless something is missing for it, and prints its result and its time. A failure does not end the script."""
    if missing:
        print(f"ok {number} - {title} # SKIP {missing}", flush=True)
        return
    began = time.monotonic()
    try:
        work()
        print(f"ok {number} - {title}\n# {time.monotonic() - began:.1f} s", flush=True)
    except Exception as failed:
        print(f"# {type(failed).__name__}: " + str(failed).replace("\n", "\n# "))
        print(f"not ok {number} - {title}", flush=True)
