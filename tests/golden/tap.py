# SPDX-License-Identifier: BSL-1.0
"""Runs test functions, each in a temporary directory of its own, and reports the results in TAP."""

import pathlib
import subprocess
import sys
import tempfile


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
